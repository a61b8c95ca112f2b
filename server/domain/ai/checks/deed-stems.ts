// What a word for something that was done is about, whatever its language: “storniert” and “cancelled” are one deed.
import { foldText } from '../../../../flow-engine/fold-text.ts'

/** How the words of each begin, in twelve languages; as they are typed. */
const STEMS = {
  refund:
    'إعادة zurückerstatt devolv devuelv estorn refund reimburs erstatt rückerstatt reembols devuelt devolu rembours rimbors terugbeta terugbetaa teruggestort zwrot zwróc zwrac iade возвра вернул верну возмест поверн відшкод استرد باسترداد استرداد برد رد',
  cancel:
    'gean cancel storn gekünd kündig anul annul annull résil disdett opgezegd opzeg iptal отмен скас إلغاء بإلغاء ألغ',
  send: 'invian verildi abgeschick post raus weg way unterwegs camino caminho route chemin arrivo viagg onderweg drodze yolda пути дорозі الطريق envia enviam send sent ship dispatch emailed deliver gesend gesandt geschick schick verschick zugeschick versand versend enviad envie envio mandad manda despach expédi envoy inviat spedit spedi consegn verstu gestuu verzond stuur wysł wysył nadan gönder yola отправ высла присл надісл відправ إرسال بإرسال أرسل شحن بشحن',
  pass: 'بإبلاغ passed übergeb verständig transmett avvis geïnform pris prise haber poinformow сповіщ aktar forward escalat notif inform alert contact weitergeleit weitergegeb informier benachricht reenvi remit escal avis encaminh transmis transfér prévenu signal inoltr doorgest doorgeg hoogte przekaz zawiad powiad poinform ilet bilgilen bildir переда сообщ уведом повідом تحويل بتحويل حول إبلاغ إخطار',
  change:
    'angepasst تعديل updat chang edit modif amend geänd änder aktualis actualiz cambi atualiz alter mud jour aggiorn gewijzi wijzi aangepa bijgewer zmien zaktual güncel değiş измен обнов смен змін онов تحديث بتحديث تغيير بتغيير حدث غير',
  note: 'salv registr noted record saved logged register notiert vermerk gespeich eingetrag hinterleg anotad guardad registrad note notat enregistr salvat annotat genoteer opgeslag zapisa zanotow odnotow kaydet kayded запис сохран занотов збереж تسجيل حفظ',
  credit: 'gecred credit gutgeschr abonad acredit accredit crédit начисл нарах',
  apply:
    'تطبيق aplica uygula застос applican applied apply waiv angewend eingelös aplicad apliqu appliqu applicat toegepa применил применен застосов',
  extend:
    'prorrog prolung przedłużon extend verlänger ampliad estendi prolong verleng przedłuż uzat продл продовж تمديد بتمديد',
  book: 'rebook ayırt book reserv gebucht umgebuch buch réserv prenot geboekt gereserv zarezerw rezerv ayır заброн حجز بحجز',
  order:
    'замен замін sustitu zamien ordered replac bestellt ersetz pedido pedi substitu remplac command ordinat sostitu besteld vervang zamówio wymieni заказан замовлен',
  arrange:
    'solicit providenc regle programma arrang schedul reschedul veranlass beauftrag verschob tramit gestion agend programm organizz geregeld ingepland umówio planla назнач признач',
  open: 'crei crean criei crian inici inití initié avvia apert створив созд utwor opened open create creat submit initiat erstellt angelegt eingeleit creado creada creados creadas abiert criad abri ouvert créé ouvr creato creata aperto aperta aangemaak utworzo oluştur создан создал створен створил إنشاء بإنشاء',
  remove:
    'elimin usunię delet remov gelösch lösch entfernt eliminad excluí excluid supprim eliminat verwijder usuni sil удал видал حذف بحذف',
  reset: 'reset restablec redefini réinitial reimpost zurückgesetz zresetow sıfırla сброш сбро скину',
  upgrade:
    'upgrad activat deactivat aktivier activad ativad activé attivat geactiveer aktywow etkinleş активир актив تفعيل',
  ask: 'looking checking preguntand contatt verific controll chec провер перевір checked spoken asked nachgefrag preguntad contactad falei consult vérifi demand chiest contattat contatta nagevraag уточн связал звяза',
  pay: 'выплач trasf transf überweis bonif paid transferred ausgezahl überwies angewies pagad abon virado pagat bonificat overgemaak wypłac przelan ödend выплат оплач виплач دفع',
} as const

export type Deed = keyof typeof STEMS | 'process'

/** They say that something was done, and what stands around them says what. */
const GENERIC =
  'elabor proced процесс процесі обрабат опрац بمعالج بتأكيد معالجة set proces emis emess geschlossen bearbeitung behandeling andamento lavorazione process issu complet confirm approv accept grant resolv fix done handl sorted closed close taken way underway progress bearbeit ausgeführ abgeschloss genehmig bestätig erledig freigegeb übernom unterwegs procesad aprobad complet confirmad aceptad resuelt camino gestionad emitid hech processad processei aprovad concluíd aceit resolvid caminho feit trait valid approuv effectu résolu terminé cours route elaborat approvat completat confermat accettat risolt arrivo viaggio viaggi corso evas verwerk goedgekeur bevestig afgehand voltooi onderweg przetw zrealiz zatwierd potwierd rozpatrz zakończ drodz załatw realiz onayla tamamla işlem işle çıktı yolda оформ обработ подтвержд одобр выполн заверш решен пути оброб підтвердж схвал викон заверш вирішен дорозі معالج تأكيد الموافق الطريق تنفيذ'

const foldedOf = (words: string): string[] => words.split(' ').map(foldText)

const STEMS_BY_DEED = Object.entries(STEMS).map(
  // The keys are those of the table.
  ([deed, words]) => [deed as keyof typeof STEMS, foldedOf(words)] as const,
)
const GENERIC_STEMS = foldedOf(GENERIC)

/** Of folded words, all that they may be about. */
export const deedsOf = (folded: string): Set<Deed> => {
  const deeds = new Set<Deed>()
  for (const word of folded.split(' ')) {
    if (word === '') continue
    for (const [deed, stems] of STEMS_BY_DEED)
      if (stems.some((stem) => word.startsWith(stem))) deeds.add(deed)
    if (GENERIC_STEMS.some((stem) => word.startsWith(stem))) deeds.add('process')
  }
  return deeds
}
