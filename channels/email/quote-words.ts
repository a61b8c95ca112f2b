// The lines that mail programs put above a quote, by language. No pattern has nested repetitions, so matching stays
// fast.

/** How the line above a quote starts and ends, by language. */
export const ATTRIBUTIONS: readonly [begins: RegExp, ends: RegExp][] = [
  [/^(?:on|at|in)\s/i, /\b(?:wrote|writes|said|sent)\s?[:：]?$/i],
  [/^(?:am|on)\s/i, /\b(?:schrieb|schreibt)\b.*:$/i],
  [/^(?:le|du|lun|mar|mer|jeu|ven|sam|dim)[a-z]{0,6}\.?\s/i, /(?:a\s)?[ée]crit\s?:$/i],
  [/^el\s/i, /escribi[óo]\s?:$/i],
  [/^(?:il|in data)\s/i, /(?:ha scritto|scrisse|scriveva)\s?:$/i],
  [/^(?:em|a|no dia|on)\s/i, /escreveu\s?:$/i],
  [/^(?:op|on)\s/i, /(?:schreef|heeft).*:$/i],
  [
    /^(?:den|på|pa|on|d\.|(?:man|tir|tirs|ons|tor|tors|fre|lør|lor|søn|mån|tis|lör|sön)[a-zåäöø]{0,4}\.?)\s/i,
    /\b(?:skrev|skreiv)\b.*:$/i,
  ],
  [/^(?:w dniu|dnia|on|pon|wt|śr|czw|pt|sob|niedz)[\s.,]/i, /(?:pisze|napisał(?:\(a\)|a)?|wrote)\s?:$/i],
  [/^(?:ma|ti|ke|to|pe|la|su|on)[\s.,]/i, /kirjoitti.*:$/i],
  [
    /^(?:пн|вт|ср|чт|пт|сб|вс|нд|\d|[ув]\s|понеділок|вівторок|середа|четвер|п[ʼ’']ятниця|субота|неділя|понедельник|вторник|среда|четверг|пятница|суббота|воскресенье)/i,
    /(?:написал|писал|пишет|написав|написала|пише)(?:\(а\)|а|и)?.*:$|>\s?:$/i,
  ],
  [/^(?:dne|v|po|út|st|čt|pá|so|ne)[\s.,]/i, /(?:napsal|napísal)(?:\(a\)|a)?.*:$/i],
  [/^(?:ezt írta|\d{4}[.-])/i, /(?:írta|ezt írta).*:$/i],
  [/^(?:pe|în data|la|mie|joi|vin|lun|mar|sâm|dum)[\s.,]/i, /a scris\s?:$/i],
  [/^(?:στις|την)\s/i, /έγραψε.*:$/i],
  [/^(?:\d|on|tarihinde)/i, /(?:yazdı|şunu yazdı|yazmış)\s?:$/i],
  [/^(?:vào|lúc)\s/i, /(?:đã viết|viết)\s?:$/i],
  [/^(?:pada|on)\s/i, /(?:menulis|wrote)\s?:$/i],
  [/^(?:on|ב|בתאריך|‫|‏)/i, /(?:כתב|כתבה|כתב\/ה|מאת).*:$/],
  [/^(?:في|on|بتاريخ)/i, /(?:كتب|كتبت).*[:：]$/],
  [/^(?:在|于|於)?.{0,40}\d{4}/, /(?:写道|寫道|写到|撰写|來信)\s?[:：]$/],
  [/^\d{4}/, /(?:のメッセージ|は書きました|が書きました|wrote|作成|작성|님이 작성)\s?[:：]$/],
  [/^\d{4}\s?(?:年|년|\.)/, /[>）)]?\s?[:：]$/],
  [/^(?:el|missatge de)\s/i, /(?:ha escrit|va escriure)\s?:$|^missatge de .{0,200} del dia .{0,100}:$/i],
  [/^(?:o|el|em)\s/i, /escribiu\s?:$/i],
  [
    /^(?:pon|uto?|sri|sre|čet|pet|sub|ned|dana|v|u|\d)[\s.,\p{L}]/iu,
    /(?:napisa(?:o|la)(?: je|\/la je)?|је написао(?:\/ла)?|написа(?:о|ла) је)\s?:$/i,
  ],
  [/^(?:на|пн|вт|ср|чт|пт|сб|нд|\d)[\s.,]/i, /написа\s?:$/i],
  [/^\d{4}[-. ]/, /(?:rašė|rakstīja)\s?:$/i],
  [/^(?:kuupäev|kell|\d)/i, /\bkirjutas\b.*:$/i],
  [/^(?:در|\p{N})/u, /نوشت\s?:$/],
  [/^(?:เมื่อ|ในวันที่|วันที่)/, /เขียนว่า\s?:$/],
  [/^wiadomość napisana przez\s/i, /:$/],
  [/^\p{Script=Devanagari}/u, /ने लिखा\s?:$/],
]

const VERBS =
  'wrote|writes|said|sent|schrieb|schreibt|schreef|skrev|skreiv|(?:a )?écrit|escribi[óo]|(?:ha )?scritto|scrisse|escreveu|napisał(?:\\(a\\)|a)?|pisze|napsala?|napísala?|kirjoitti|(?:на)?писала?|написал\\(а\\)|написав(?:ла)?|пишет|пише|(?:ezt )?írta|(?:şunu )?yazdı|a scris|έγραψε|menulis|đã viết'
/** Name and address first: `Anna <anna@x.org> wrote:`, `Anna <anna@x.org> schrieb am 12. März 2024 um 10:15:` */
export const NAME_FIRST = new RegExp(
  `^[^<>]{1,120}[<([]\\s?(?:mailto:)?[^<>\\s]{1,120}@[^<>\\s]{1,120}[>)\\]].{0,80}\\s(?:${VERBS})(?:[\\s(](?=.{0,80}\\d).{0,100})?\\s?[:：]$`,
  'i',
)
/** Name only, with a full date and nothing after the time: `Anna schrieb am Di., 12. März 2024 um 10:15:` */
export const NAME_FIRST_DATED = new RegExp(
  `^\\p{L}[^:]{1,120}\\s(?:${VERBS})[\\s(](?=[^:]{0,60}\\d{4})[^:]{4,80}\\d:\\d\\d(?::\\d\\d)?[^:]{0,8}:$`,
  'iu',
)
/** `anna@x.org wrote:` */
export const ADDRESS_FIRST = new RegExp(`^<?[^<>\\s@]{1,64}@[^<>\\s@]{1,120}>? (?:${VERBS})\\s?[:：]$`, 'i')
/** Name only, possibly with a date: a quote must follow. */
export const NAME_FIRST_PLAIN = new RegExp(
  `^\\p{L}[^<>:]{1,80}\\s(?:${VERBS})(?:\\s[^:]{0,60}\\d[^:]{0,30}(?::\\d\\d[^:]{0,40}){0,2})?\\s?[:：]$`,
  'iu',
)
/** `---- Anna wrote ----`, `---- On Tue, 12 Mar 2024 10:15 Anna <anna@x.org> wrote ----` */
export const DASHED = new RegExp(`^-{2,}\\s?\\S.{0,250}\\s(?:${VERBS})\\s?:?\\s?-{2,}$`, 'i')
/** `2024-03-12 10:15 GMT+01:00 Anna <anna@x.org>:` and `Thu, 26 Jun 2014 14:00 from Anna <anna@x.org>:` */
export const DATE_FIRST =
  /^(?=.{0,60}(?:\b\d{4}\b|\d:\d\d)).{8,200}<\s?[^<>\s]{1,120}@[^<>\s]{1,120}>\s?(:?)$/
/** HTML-to-text conversion can leave the sender's last words and this line on one line. */
export const SHARED_LINE =
  /^(.{1,200}?)(?:\s|-{2,}\s?)(?:On (?:\w{2,9}, )?(?:\w{3,9}\.? \d{1,2}|\d{1,2} \w{3,9}\.?),? \d{4}\b.{0,200}\bwrote:)$/

const ORIGINAL_WORDS = [
  'original message|original appointment|reply message|reply above this line',
  'urspr[üu]ngliche nachricht|original-?nachricht|originalnachricht',
  "message d['’]origine|message original|courriel d['’]origine",
  'mensaje original|mensaje de origen|messaggio originale|messaggio originario',
  'mensagem original|oorspronkelijk bericht|origineel bericht',
  'oprindelig (?:meddelelse|besked)|oprindelig meddelelse|opprinnelig melding|originalmeddelande|ursprungligt meddelande',
  'alkuper[äa]inen viesti|wiadomo[śs][ćc] oryginalna|oryginalna wiadomo[śs][ćc]|p[ůu]vodn[íi] (?:zpr[áa]va|e-?mail)|p[ôo]vodn[áa] spr[áa]va',
  'eredeti [üu]zenet|mesaj original|orijinal (?:mesaj|ileti)|исходное сообщение|оригинальное сообщение|пересланное сообщение от',
  'αρχικό μήνυμα|הודעה מקורית|الرسالة الأصلية|原始邮件|原始郵件|邮件原件|元のメッセージ|원본 메시지|thư gốc|pesan asli',
].join('|')
export const ORIGINAL = new RegExp(`^[-_=*\\s]{0,40}(?:${ORIGINAL_WORDS})\\s?:?[-_=*\\s]{0,40}$`, 'i')
/** HTML-to-text conversion can leave the original's headers on the same line. */
export const ORIGINAL_WITH_HEAD = new RegExp(
  `^[-_=*]{3,40}\\s?(?:${ORIGINAL_WORDS})\\s?[-_=*]{3,40}\\s{0,5}\\p{L}[^:]{0,30}:`,
  'iu',
)

const FORWARD_WORDS = [
  'forwarded message|begin forwarded message|forwarded by|weitergeleitete nachricht|anfang der weitergeleiteten (?:nachricht|e-?mail)',
  'message transf[ée]r[ée]|d[ée]but du message (?:r[ée]exp[ée]di[ée]|transf[ée]r[ée])|mensaje reenviado|inicio del mensaje reenviado',
  'messaggio inoltrato|inizio messaggio inoltrato|mensagem (?:encaminhada|reencaminhada)|doorgestuurd bericht|begin doorgestuurd bericht',
  'videresendt (?:meddelelse|melding|besked)|vidarebefordrat meddelande|v[äa]litetty viesti|przekazana wiadomo[śs][ćc]|пересылаемое сообщение',
  'p[řr]eposlan[áa] zpr[áa]va|tov[áa]bb[íi]tott [üu]zenet|iletilmiş mesaj|转发的邮件|轉寄郵件|転送メッセージ|전달된 메시지',
].join('|')
export const FORWARD = new RegExp(`^[-_=*>\\s]{0,40}(?:${FORWARD_WORDS})\\s?:?[-_=*\\s]{0,40}$`, 'i')
export const FORWARD_SUBJECT =
  /^\s*(?:fwd?|wg|tr|rv|i|enc|vs|vb|vl|doorst|pd|továbbítás|пересл|转发|轉寄)\s?:/i

const label = (words: string): RegExp =>
  new RegExp(`^[*_>\\s]{0,6}(?:${words})\\s?[*_]{0,3}\\s?[:：]\\s?`, 'i')
export const FROM_LABEL = label(
  'from|von|de|da|van|fra|från|od|от|від|кого|lähettäjä|kimden|gönderen|feladó|de la|από|מאת|من|发件人|寄件者|寄件人|差出人|보낸 사람|보낸사람|từ|dari|expéditeur|remitente|mittente|afzender|afsender|avsändare|nadawca',
)
export const OTHER_LABEL = label(
  'sent|date|to|cc|subject|reply-to|gesendet|datum|an|betreff|kopie|envoyé|à|objet|sujet|message du|copie à|enviado(?: el)?|enviada em|data|para|asunto|assunto|inviato|oggetto|a|per|verzonden|aan|onderwerp|sendt|til|emne|skickat|till|ämne|wysłano|do|temat|dw|lähetetty|vastaanottaja|aihe|дата|отправлено|надіслано|копія|кому|тема|копия|odesláno|komu|předmět|předmet|odoslané|küldve|címzett|tárgy|trimis|către|subiect|tarih|gönderildi|kime|konu|στάλθηκε|προς|θέμα|ημερομηνία|נשלח|אל|נושא|תאריך|تاريخ|إلى|الموضوع|发送时间|日期|收件人|抄送|主题|寄件日期|傳送時間|收件者|副本|主旨|送信日時|宛先|件名|日付|보낸 날짜|받는 사람|제목|날짜|gửi|đến|chủ đề|tanggal|kepada|subjek',
)
export const SUBJECT_LABEL = label(
  'subject|betreff|objet|sujet|asunto|assunto|oggetto|onderwerp|emne|ämne|temat|aihe|тема|předmět|předmet|tárgy|subiect|konu|θέμα|נושא|الموضوع|主题|主旨|件名|제목|chủ đề|subjek',
)
export const RULE = /^[_*=-]{10,}$/
