// How somebody says that they did something, or will, in twelve languages: who, and what. As they are typed.

type Words = {
  /** “I have” and “we have”. */
  have: string
  done: string
  /** “I will” and “we will”; with `do`, or alone if the ending is part of the verb. */
  will: string
  do: string
  /** Whole: others who will do something, and assurances. */
  others: string
}

export const PROMISE_WORDS: Record<string, Words> = {
  en: {
    have: 'i have|ive|i have just|ive just|i|we have|weve|we have just|weve just|i have now|ive now|i have already|ive already|i went ahead and',
    done: 'refunded|cancelled|canceled|sent you|sent it|emailed you|forwarded|escalated|updated your|changed your|applied|credited|extended|reserved|booked|ordered|arranged|scheduled|notified|informed the|processed|issued|opened a ticket|created a ticket|reset your|deleted your|upgraded|checked with|spoken to|spoken with|asked my|asked our|contacted',
    will: 'i will|ill|we will|well|let me|i am going to|im going to|i shall|i can promise to',
    do: 'check|look into|get back|come back to you|follow up|call you|phone you|email you|send you|send it|send a|refund|cancel|make sure|arrange|forward|escalate|ask my|ask our|ask the|contact you|contact the|reach out|notify|inform|update your|change your|apply|credit|extend|reserve|book|reserve|give you a',
    others:
      'a colleague will|my colleague will|our team will call|our team will contact|our team will get back|our team will reach|our team will reply|someone will call|someone will contact|someone will get back|someone will reach|someone from our team will|somebody will|you will get a call|you will receive a call|youll get a call|you will be contacted|you will hear from us|you will be refunded|i promise|we promise|i guarantee|we guarantee|binding offer|legally binding',
  },
  de: {
    have: 'ich habe|wir haben|habe ich|haben wir',
    done: 'erstattet|rückerstattet|storniert|gekündigt|gesendet|geschickt|verschickt|zugeschickt|weitergeleitet|weitergegeben|geändert|aktualisiert|gutgeschrieben|verlängert|reserviert|gebucht|bestellt|veranlasst|informiert|eingelöst|zurückgesetzt|gelöscht|beauftragt|erstellt|eingetragen|nachgefragt',
    will: 'ich werde|wir werden|werde ich|werden wir',
    do: 'prüfen|nachsehen|nachfragen|klären|melden|anrufen|zurückrufen|schicken|senden|zuschicken|erstatten|stornieren|kündigen|veranlassen|weiterleiten|weitergeben|kontaktieren|kümmern|informieren|ändern|gutschreiben|verlängern|reservieren|buchen',
    others:
      'ich kläre das|ich prüfe das|ich melde mich|wir melden uns|ich rufe sie|wir rufen sie|ich kümmere mich|wir kümmern uns|ich leite das|ich schicke ihnen|ich sende ihnen|wir erstatten ihnen|ein kollege wird|eine kollegin wird|ein kollege meldet|eine kollegin meldet|ein mitarbeiter wird|unser team wird sich|unser team meldet sich|jemand wird sich|jemand meldet sich|ruft sie zurück|ruft sie heute|sie werden angerufen|sie hören von uns|ich verspreche|wir versprechen|ich garantiere|wir garantieren|verbindliches angebot',
  },
  es: {
    have: 'he|hemos|ya he|ya hemos|le he|te he|lo he|la he|le hemos',
    done: 'reembolsado|devuelto|cancelado|anulado|enviado|mandado|reenviado|remitido|escalado|actualizado|cambiado|modificado|aplicado|abonado|ampliado|reservado|pedido|tramitado|gestionado|avisado|informado|creado|abierto|eliminado|preguntado|contactado',
    will: 'voy a|vamos a|le voy a|te voy a|lo voy a|podré',
    do: 'comprobar|comprobarlo|revisar|revisarlo|consultar|consultarlo|averiguar|averiguarlo|verificar|verificarlo|llamar|llamarle|llamarte|enviar|enviarle|enviarte|reembolsar|reembolsarle|cancelar|anular|gestionar|tramitar|informar|avisar|contactar|reenviar|escalar|cambiar|actualizar|devolver',
    others:
      'cancelé|reembolsé|envié su|le envié|le llamaré|te llamaré|le enviaré|te enviaré|le escribiré|le reembolsaré|le reembolsaremos|le llamaremos|le contactaremos|nos pondremos en contacto|me pondré en contacto|volveré con|lo consultaré|lo revisaré|lo comprobaré|me encargo de|me encargaré|un compañero le|una compañera le|un colega le|un agente le|nuestro equipo le llamará|nuestro equipo se pondrá|alguien le llamará|alguien se pondrá|recibirá una llamada|le prometo|te prometo|prometo|prometemos|le garantizo|garantizo|garantizamos|oferta vinculante',
  },
  pt: {
    have: 'eu|já|eu já|nós|nós já',
    done: 'reembolsei|cancelei|enviei|encaminhei|atualizei|alterei|mudei|apliquei|creditei|estendi|reservei|agendei|pedi|solicitei|informei|avisei|criei|abri|excluí|processei|falei com|consultei|reembolsamos|cancelamos|enviamos seu',
    will: 'vou|vamos|irei|iremos|eu vou',
    do: 'verificar|checar|conferir|consultar|retornar|ligar|te ligar|lhe ligar|enviar|te enviar|lhe enviar|reembolsar|te reembolsar|cancelar|providenciar|encaminhar|informar|avisar|contatar|entrar em contato|alterar|atualizar|agendar|reservar',
    others:
      'reembolsei o|cancelei o|cancelei a|cancelei seu|enviei o|um colega vai|uma colega vai|um atendente vai|nossa equipe vai ligar|nossa equipe entrará|nossa equipe vai entrar|alguém vai ligar|alguém entrará|alguém vai entrar|entraremos em contato|entrarei em contato|retornaremos|retornarei|você receberá uma ligação|você será reembolsado|você será reembolsada|prometo|prometemos|garanto|garantimos|oferta vinculativa|oferta vinculante',
  },
  fr: {
    have: 'j’ai|nous avons|je vous ai|nous vous avons|j’ai déjà|je l’ai|je viens de',
    done: 'remboursé|annulé|résilié|envoyé|transmis|transféré|modifié|mis à jour|changé|appliqué|crédité|prolongé|réservé|commandé|programmé|prévenu|informé|créé|ouvert un|supprimé|traité|contacté|vérifié auprès|rembourser|annuler|envoyer|transmettre',
    will: 'je vais|nous allons|je vais vous|nous allons vous|je vais le|je vais la|laissez moi',
    do: 'vérifier|regarder|me renseigner|demander|revenir|appeler|rappeler|envoyer|rembourser|annuler|transmettre|contacter|recontacter|prévenir|informer|m’en occuper|modifier|réserver|prolonger|créditer|faire le nécessaire',
    others:
      'je vérifie et|je me renseigne|je reviens vers|nous reviendrons vers|nous revenons vers|je vous rappelle|nous vous rappellerons|nous vous contacterons|nous vous rembourserons|je m’en occupe|je transmets|un collègue va|une collègue va|un collègue vous|une collègue vous|un conseiller vous|notre équipe vous contactera|notre équipe vous rappellera|notre équipe va vous|quelqu’un va vous|quelqu’un vous|vous serez contacté|vous serez rappelé|vous serez remboursé|vous recevrez un appel|je vous promets|je promets|nous promettons|je vous garantis|je garantis|nous garantissons|offre ferme',
  },
  it: {
    have: 'ho|abbiamo|ho già|abbiamo già|le ho|ti ho|l’ho|le abbiamo',
    done: 'rimborsato|annullato|cancellato|disdetto|inviato|mandato|inoltrato|aggiornato|modificato|cambiato|applicato|accreditato|prolungato|prenotato|ordinato|organizzato|avvisato|informato|creato|aperto un|eliminato|elaborato|contattato|chiesto',
    will: 'sto per|andrò a|provvederò a|provvediamo a|posso promettere di|lasci che',
    do: 'verificare|controllare|informarmi|chiedere|richiamare|chiamare|inviare|rimborsare|annullare|inoltrare|contattare|avvisare|modificare',
    others:
      'verificherò|controllerò|verifico e|controllo e|le farò sapere|ti farò sapere|vi faremo sapere|la richiamerò|la richiameremo|ti richiamo|la contatteremo|ti contatteremo|vi contatteremo|le invierò|ti invierò|la rimborserò|la rimborseremo|me ne occupo|me ne occuperò|un collega la|una collega la|un collega ti|un operatore la|il nostro team la contatterà|il nostro team ti contatterà|qualcuno la|qualcuno ti|riceverà una chiamata|sarà contattato|sarà rimborsato|prometto|promettiamo|garantisco|garantiamo|offerta vincolante',
  },
  nl: {
    have: 'ik heb|wij hebben|we hebben|heb ik|hebben wij|hebben we',
    done: 'terugbetaald|geannuleerd|opgezegd|verstuurd|gestuurd|verzonden|doorgestuurd|doorgegeven|gewijzigd|aangepast|bijgewerkt|toegepast|verlengd|gereserveerd|geboekt|besteld|geregeld|ingepland|geïnformeerd|aangemaakt|verwijderd|verwerkt|nagevraagd',
    will: 'ik zal|wij zullen|we zullen|ik ga|we gaan|zal ik',
    do: 'nakijken|navragen|uitzoeken|controleren|terugkomen|bellen|terugbellen|sturen|toesturen|mailen|terugbetalen|annuleren|regelen|doorsturen|doorgeven|contact|informeren|wijzigen|aanpassen|verlengen|reserveren|controleren|checken',
    others:
      'ik zoek het uit|ik vraag het na|ik kom erop terug|ik kom bij u terug|ik kom hierop terug|ik neem contact|wij nemen contact|we nemen contact|ik bel u|wij bellen u|we bellen je|ik regel|ik stuur u|ik stuur het door|een collega zal|een collega neemt|een collega belt|een medewerker zal|een medewerker neemt|een medewerker belt|ons team neemt|ons team zal|iemand zal|iemand neemt|iemand belt|u wordt gebeld|je wordt gebeld|u krijgt een telefoontje|ik beloof|wij beloven|we beloven|ik garandeer|wij garanderen|we garanderen|bindend aanbod',
  },
  pl: {
    have: 'już|właśnie|ja',
    done: 'zwróciłem|zwróciłam|anulowałem|anulowałam|wysłałem|wysłałam|przekazałem|przekazałam|zmieniłem|zmieniłam|zarezerwowałem|zarezerwowałam',
    will: 'zamierzam|mogę obiecać że',
    do: 'sprawdzić|zadzwonić|wysłać|zwrócić|anulować',
    others:
      'zwróciłem|zwróciłam|zwróciliśmy|anulowałem|anulowałam|anulowaliśmy|wysłałem|wysłałam|przekazałem|przekazałam|zaktualizowałem|zaktualizowałam|zmieniłem|zmieniłam|zarezerwowałem|zarezerwowałam|sprawdzę|wrócę z|zadzwonię|oddzwonię|oddzwonimy|wyślę|zwrócę|anuluję|przekażę|skontaktujemy się|skontaktuję się|kolega się|koleżanka się|konsultant zadzwoni|konsultant się|pracownik zadzwoni|nasz zespół się skontaktuje|nasz zespół skontaktuje|ktoś się|ktoś zadzwoni|obiecuję|obiecujemy|gwarantuję|gwarantujemy|wiążąca oferta',
  },
  tr: {
    have: 'sizin için|siparişinizi|talebinizi|paranızı|aboneliğinizi|ödemenizi',
    done: 'iade ettim|iade ettik|iptal ettim|iptal ettik|gönderdim|gönderdik|ilettim|ilettik|güncelledim|değiştirdim|ayırdım|oluşturdum|uzattım',
    will: 'hemen|birazdan|en kısa sürede|bugün',
    do: 'kontrol edeceğim|bakacağım|döneceğim|döneceğiz|arayacağım|arayacağız|göndereceğim|iade edeceğim|iptal edeceğim|ileteceğim|sizi arayacak|dönüş yapacağız|dönüş yapacağım',
    others:
      'iade ettim|iptal ettim|gönderdim|ilettim|güncelledim|kontrol edip size|kontrol edeceğim|size döneceğim|size döneceğiz|size geri döneceğim|sizi arayacağım|sizi arayacağız|sizi arayacak|sizinle iletişime geçecek|sizinle iletişime geçeceğiz|bir arkadaşımız|bir meslektaşım|bir temsilcimiz|ekibimiz sizi|ekibimiz sizinle|iade edeceğim|iade edeceğiz|söz veriyorum|söz veriyoruz|garanti ediyorum|garanti ediyoruz|bağlayıcı teklif',
  },
  ru: {
    have: 'я|мы|я уже|мы уже|я только что',
    done: 'вернул|вернула|вернули|возместил|возместила|отменил|отменила|отменили|отправил|отправила|отправили|передал|передала|передали|изменил|изменила|обновил|обновила|применил|применила|начислил|начислила|продлил|продлила|забронировал|забронировала|оформил|оформила|создал|создала|уточнил|уточнила|связался|связалась',
    will: 'я|мы|сейчас|обязательно',
    do: 'проверю|уточню|узнаю|перезвоню|перезвоним|позвоню|позвоним|отправлю|пришлю|верну|вернем|отменю|передам|свяжусь|свяжемся|сообщу|изменю|оформлю|вернусь|разберусь',
    others:
      'я это уточню|уточню и вернусь|проверю и вернусь|вам перезвонят|вам позвонят|с вами свяжутся|с вами свяжется|коллега свяжется|коллега позвонит|коллега перезвонит|наш сотрудник свяжется|наш сотрудник позвонит|наша команда свяжется|мы с вами свяжемся|мы вам перезвоним|вам вернут деньги|обещаю|обещаем|гарантирую|гарантируем|обязывающее предложение',
  },
  uk: {
    have: 'я|ми|я вже|ми вже|я щойно',
    done: 'повернув|повернула|повернули|відшкодував|відшкодувала|скасував|скасувала|скасували|надіслав|надіслала|надіслали|передав|передала|передали|змінив|змінила|оновив|оновила|застосував|застосувала|нарахував|нарахувала|продовжив|продовжила|забронював|забронювала|оформив|оформила|створив|створила|уточнив|уточнила|звязався|звязалася',
    will: 'я|ми|зараз|обовязково',
    do: 'перевірю|уточню|дізнаюся|передзвоню|передзвонимо|зателефоную|зателефонуємо|надішлю|поверну|повернемо|скасую|передам|звяжуся|звяжемося|повідомлю|зміню|оформлю|повернуся|розберуся',
    others:
      'уточню і повернуся|перевірю і повернуся|вам передзвонять|вам зателефонують|з вами звяжуться|з вами звяжеться|колега звяжеться|колега зателефонує|колега передзвонить|наш співробітник звяжеться|наша команда звяжеться|ми з вами звяжемося|ми вам передзвонимо|вам повернуть гроші|обіцяю|обіцяємо|гарантую|гарантуємо|обовязкова пропозиція',
  },
  ar: {
    have: 'لقد|قمت|لقد قمت|قمنا|لقد قمنا',
    done: 'باسترداد|برد المبلغ|بإلغاء|بإرسال|بتحويل|بتحديث|بتغيير|بتمديد|بحجز|بإنشاء|استرددت|ألغيت|أرسلت|حولت|حدثت|غيرت',
    will: 'سوف|سوف أقوم|سأقوم|سنقوم',
    do: 'أتحقق|أتأكد|أعود إليك|أتصل بك|نتصل بك|أرسل|أعيد|ألغي|أحول|بالتحقق|بالتأكد|بإرسال|بإلغاء|برد|بالاتصال|يتصل بك',
    others:
      'سأتحقق|سأتأكد|سأعود إليك|سنعود إليك|سأتصل بك|سنتصل بك|سأرسل لك|سنرسل لك|سأعيد لك|سنعيد لك|سألغي|سيتصل بك|سيتواصل معك|سنتواصل معك|سأتواصل معك|زميلي س|أحد زملائي|أعدك|نعدك|أضمن لك|نضمن لك|عرض ملزم',
  },
}
