// How somebody says that something was done without saying who did it (“your order has been cancelled”), or that they
// are at it (“I’m processing your refund”), in twelve languages. As they are typed.

export type DoneWords = {
  /** What the words for what was done begin with: the customer's own, and others. Empty where the verb says enough. */
  own: string
  other: string
  was: string
  done: string
  /** Where it takes one word, or isn't a participle. */
  states: string
  /** Who is at it, and what they are doing. */
  am: string
  doing: string
  /** Both in one word. */
  now: string
}

/** Stems with each of the endings. */
const each = (stems: string, endings: string): string =>
  stems
    .split('|')
    .flatMap((stem) => endings.split('|').map((ending) => stem + ending))
    .join('|')

export const DONE_WORDS: Record<string, DoneWords> = {
  en: {
    own: 'your|it|this|everything|all of it',
    other: 'the|a|an|our|my|all',
    was: 'has been|have been|has now been|have now been|has just been|have just been|has already been|have already been|has also been|has successfully been|was|were|is being|are being|is now|are now|is now being|are now being|is already|are already|is currently being',
    done: 'refunded|reimbursed|cancelled|canceled|processed|issued|updated|changed|applied|credited|extended|reserved|booked|rebooked|rescheduled|arranged|scheduled|notified|informed|alerted|forwarded|escalated|passed on|sent|dispatched|shipped|approved|reset|deleted|removed|upgraded|activated|deactivated|confirmed|created|initiated|submitted|resolved|completed|transferred|paid|replaced|registered|noted|recorded|logged|saved|taken care of|sorted out|handled|waived|accepted|granted|closed',
    states:
      'is on its way|are on their way|is on the way|are on the way|is in the post|is underway|is under way|is in progress|is all set|is all done|is cancelled|is canceled|is refunded',
    am: 'i am|im|we are|were',
    doing:
      'processing|cancelling|canceling|refunding|sending|forwarding|escalating|updating|changing|applying|crediting|extending|reserving|booking|arranging|scheduling|notifying|informing|contacting|issuing|opening a|creating|resetting|deleting|removing|upgrading|looking into|checking with|initiating|submitting|transferring',
    now: '',
  },
  de: {
    own: 'ihr|ihre|ihrer|ihren|dein|deine|es|das|dies|alles',
    other: 'der|die|ein|eine|unser|unsere|mein|meine',
    was: 'wurde|wurden|ist|sind|ist worden|wird gerade|wird jetzt|wird nun|wird soeben|wird bereits|wird umgehend|werden gerade|werden jetzt',
    done: 'erstattet|rückerstattet|zurückerstattet|storniert|gekündigt|gesendet|geschickt|verschickt|versendet|versandt|abgeschickt|zugeschickt|weitergeleitet|weitergegeben|übergeben|geändert|aktualisiert|angepasst|gutgeschrieben|angewendet|eingelöst|verlängert|reserviert|gebucht|umgebucht|verschoben|bestellt|ersetzt|veranlasst|beauftragt|informiert|benachrichtigt|verständigt|zurückgesetzt|gelöscht|entfernt|erstellt|angelegt|eingeleitet|eingetragen|hinterlegt|notiert|vermerkt|gespeichert|bearbeitet|ausgeführt|abgeschlossen|genehmigt|bestätigt|erledigt|freigegeben|übernommen|ausgezahlt|überwiesen|angewiesen|aktiviert',
    states: 'ist unterwegs|sind unterwegs|ist auf dem weg|ist in bearbeitung|ist raus',
    am: '',
    doing: '',
    now: 'ich storniere|ich erstatte|ich bearbeite|ich veranlasse|ich buche|ich reserviere|ich ändere|ich aktualisiere|ich informiere|ich benachrichtige|ich verlängere|ich lösche|ich schreibe ihnen|ich überweise|ich kündige|wir bearbeiten gerade|wir stornieren gerade|wir erstatten gerade|ich bin dabei',
  },
  es: {
    own: 'su|sus|tu|tus|esto|todo',
    other: 'el|la|los|las|un|una|nuestro|nuestra|se|ya se',
    was: 'ha sido|han sido|ya ha sido|fue|fueron|ya está|ya están|está siendo|están siendo|ha quedado|ha|han|queda',
    done: each(
      'reembolsad|devuelt|cancelad|anulad|enviad|mandad|despachad|reenviad|remitid|escalad|actualizad|cambiad|modificad|aplicad|abonad|acreditad|ampliad|reservad|tramitad|gestionad|procesad|emitid|aprobad|confirmad|completad|avisad|informad|notificad|cread|eliminad|registrad|anotad|guardad|activad|restablecid|transferid|pagad|sustituid|resuelt|iniciad',
      'o|a|os|as',
    ),
    states: 'está en camino|están en camino|está de camino|va en camino|está en proceso|está en trámite',
    am: 'estoy|estamos',
    doing:
      'procesando|tramitando|cancelando|anulando|reembolsando|enviando|reenviando|gestionando|actualizando|cambiando|modificando|aplicando|reservando|avisando|informando|notificando|creando|eliminando|transfiriendo|devolviendo',
    now: 'cancelo su|anulo su|le reembolso|le envío|te envío|tramito su|proceso su|procedo a',
  },
  pt: {
    own: 'seu|sua|seus|suas|teu|tua|isso|tudo',
    other: 'o|a|os|as|um|uma|nosso|nossa',
    was: 'foi|foram|já foi|já foram|está sendo|estão sendo|está a ser|acaba de ser|ficou|já está',
    done: each(
      'reembolsad|devolvid|estornad|cancelad|anulad|enviad|despachad|encaminhad|escalad|atualizad|alterad|modificad|mudad|aplicad|creditad|estendid|prorrogad|reservad|agendad|solicitad|processad|emitid|aprovad|confirmad|concluíd|avisad|informad|notificad|criad|excluíd|registrad|anotad|salv|ativad|redefinid|transferid|substituíd|resolvid|iniciad',
      'o|a|os|as',
    ),
    states: 'está a caminho|estão a caminho|está em andamento|está em processamento',
    am: 'estou|estamos',
    doing:
      'processando|cancelando|reembolsando|enviando|encaminhando|atualizando|alterando|aplicando|reservando|agendando|avisando|informando|notificando|criando|excluindo|providenciando|verificando|a processar|a cancelar|a reembolsar|a enviar',
    now: '',
  },
  fr: {
    own: 'votre|vos|ta|ton|tes|cela|ceci|tout',
    other:
      'le|la|les|un|une|notre|nos|mon|ma|léquipe|largent|lenvoi|labonnement|ladresse|larticle|lensemble|il|elle',
    was: 'a été|ont été|a bien été|ont bien été|a déjà été|vient d’être|viennent d’être|est désormais|est maintenant|est en train d’être|est bien',
    done: `${each('rembours|annul|résili|envoy|expédi|modifi|chang|appliqu|crédit|prolong|réserv|command|programm|inform|notifi|cré|supprim|trait|valid|approuv|confirm|effectu|contact|enregistr|not|activ|réinitialis|remplac|termin|régl|initi', 'é|ée|és|ées')}|transmis|transmise|transmises|mis à jour|mise à jour|mises à jour|prévenu|prévenue|ouvert|ouverte|émis|émise|pris en compte|prise en compte|pris en charge`,
    states:
      'est en route|sont en route|est en chemin|est en cours de traitement|est en cours de remboursement|est en cours d’annulation|est en cours',
    am: '',
    doing: '',
    now: 'je suis en train de|nous sommes en train de|j’annule|je rembourse|je traite|nous traitons votre|je procède|je modifie|je mets à jour|j’envoie|je vous envoie|j’applique|je réserve|je préviens|j’informe',
  },
  it: {
    own: 'suo|sua|suoi|sue|tuo|tua|tutto|questo',
    other:
      'il|la|i|gli|le|lo|un|una|nostro|nostra|lordine|lindirizzo|labbonamento|limporto|lappuntamento|larticolo',
    was: 'è stato|è stata|sono stati|sono state|è già stato|è già stata|è appena stato|è appena stata|viene ora|è ora',
    done: each(
      'rimborsat|annullat|cancellat|disdett|inviat|spedit|mandat|inoltrat|aggiornat|modificat|cambiat|applicat|accreditat|prolungat|prenotat|ordinat|sostituit|organizzat|avvisat|informat|notificat|creat|apert|eliminat|elaborat|emess|approvat|confermat|completat|contattat|registrat|annotat|salvat|attivat|reimpostat|trasferit|risolt|avviat|evas',
      'o|a|i|e',
    ),
    states: 'è in arrivo|è in viaggio|è in consegna|è in corso|è in lavorazione|sono in arrivo',
    am: 'sto|stiamo',
    doing:
      'elaborando|annullando|cancellando|rimborsando|inviando|inoltrando|aggiornando|modificando|applicando|prenotando|avvisando|informando|contattando|creando|eliminando|procedendo|verificando|controllando',
    now: 'procedo con|procedo a|annullo il|le invio|ti invio',
  },
  nl: {
    own: 'uw|je|jouw|het|dit|alles',
    other: 'de|een|ons|onze|mijn',
    was: 'is|zijn|werd|werden|is al|is zojuist|wordt nu|wordt momenteel|worden nu',
    done: 'terugbetaald|teruggestort|geannuleerd|opgezegd|verstuurd|gestuurd|verzonden|doorgestuurd|doorgegeven|gewijzigd|aangepast|bijgewerkt|toegepast|gecrediteerd|verlengd|gereserveerd|geboekt|besteld|vervangen|geregeld|ingepland|geïnformeerd|op de hoogte gebracht|op de hoogte gesteld|aangemaakt|verwijderd|verwerkt|goedgekeurd|bevestigd|afgehandeld|voltooid|genoteerd|opgeslagen|geactiveerd|overgemaakt',
    states: 'is onderweg|zijn onderweg|is in behandeling',
    am: '',
    doing: '',
    now: 'ik annuleer|ik betaal|ik verwerk|ik wijzig|ik pas uw|ik boek|ik reserveer|ik verleng|ik informeer|ik ben bezig|we verwerken uw|wij verwerken uw|we zijn bezig',
  },
  pl: {
    own: '',
    other: '',
    was: 'został|została|zostało|zostały|zostali|jest właśnie|są właśnie',
    done: each(
      'zwrócon|anulowan|wysłan|nadan|przekazan|zmienion|zaktualizowan|zarezerwowan|zrealizowan|przetworzon|zatwierdzon|potwierdzon|rozpatrzon|zakończon|powiadomion|poinformowan|zawiadomion|utworzon|usunięt|zapisan|zanotowan|odnotowan|przedłużon|zamówion|wymienion|załatwion|wypłacon|przelan|zresetowan|aktywowan',
      'y|a|e|o|i',
    ),
    states: 'jest w drodze|są w drodze|jest w trakcie realizacji|jest przetwarzane|jest przetwarzany',
    am: '',
    doing: '',
    now: 'przetwarzam|przetwarzamy|realizuję|anulujemy|zwracam|wysyłam|przekazuję|zmieniam|aktualizuję',
  },
  tr: {
    own: '',
    other: '',
    was: '',
    done: '',
    states:
      'iptal edildi|iade edildi|gönderildi|kargoya verildi|yola çıktı|yolda|işleme alındı|işleniyor|bilgilendirildi|haberdar edildi|iletildi|aktarıldı|güncellendi|değiştirildi|oluşturuldu|onaylandı|tamamlandı|kaydedildi|uzatıldı|rezerve edildi|ayırtıldı|silindi|sıfırlandı|ödendi|etkinleştirildi|uygulandı',
    am: '',
    doing: '',
    now: 'iade ediyorum|iptal ediyorum|gönderiyorum|işleme alıyorum|iletiyorum|güncelliyorum|işliyorum|iade ediyoruz|iptal ediyoruz|işleme alıyoruz|değiştiriyorum',
  },
  ru: {
    own: '',
    other: '',
    was: '',
    done: '',
    states: `${each('отменен|возвращен|оформлен|отправлен|выслан|передан|изменен|обновлен|применен|начислен|продлен|забронирован|создан|обработан|подтвержден|одобрен|выполнен|завершен|уведомлен|удален|сохранен|записан|заказан|заменен|решен|выплачен|сброшен|активирован', '|а|о|ы')}|в пути|в процессе|в обработке|обрабатывается`,
    am: '',
    doing: '',
    now: 'я оформляю|оформляю|отменяю|возвращаю|отправляю|передаю|обрабатываю|меняю|обновляю|проверяю|мы обрабатываем ваш|мы отменяем',
  },
  uk: {
    own: '',
    other: '',
    was: '',
    done: '',
    states: `${each('скасован|повернут|повернен|оформлен|надіслан|відправлен|передан|змінен|оновлен|застосован|нарахован|продовжен|заброньован|створен|оброблен|опрацьован|підтверджен|схвален|виконан|завершен|повідомлен|сповіщен|видален|збережен|записан|замовлен|замінен|вирішен|виплачен', 'ий|а|о|е|і')}|в дорозі|у процесі|обробляється`,
    am: '',
    doing: '',
    now: 'оформлюю|скасовую|повертаю|надсилаю|передаю|опрацьовую|обробляю|змінюю|оновлюю|перевіряю',
  },
  ar: {
    own: '',
    other: '',
    was: 'تم|تمت|وتم|لقد تم|لقد تمت|جار|جاري|يجري حاليا|يجري الآن',
    done: 'إلغاء|استرداد|رد المبلغ|إرسال|شحن|معالجة|تحديث|تغيير|تعديل|تأكيد|تحويل|إبلاغ|إخطار|حجز|تمديد|حذف|تسجيل|إعادة المبلغ|إنشاء|تطبيق|تفعيل|حفظ|الموافقة على',
    states: 'في الطريق إليك|طلبك في الطريق',
    am: 'أقوم|نقوم|أنا أقوم',
    doing:
      'بإلغاء|باسترداد|برد المبلغ|بإرسال|بمعالجة|بتحديث|بتغيير|بتأكيد|بتحويل|بإبلاغ|بحجز|بتمديد|بحذف|بإنشاء',
    now: '',
  },
}
