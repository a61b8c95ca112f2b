// The line that a device or mail program adds below the text ("Sent from my iPhone").

/** The phrases that programs add, up to the name of the device or program. */
const SENT_FROM =
  /^(?:sent (?:from|via|with|using|by)|get|gesendet (?:von|mit|aus)|von mein\p{L}{0,2}|diese nachricht wurde von mein\p{L}{0,2}|envoyé (?:de|depuis|à partir d[eu]|avec)|téléchargez?|enviado (?:desde|do|de|a partir d[eo])|obtener|obter o|inviato (?:da|dal)|verzonden (?:vanaf|met|via|vanuit)|verstuurd vanaf|sendt fra|skickat från|lähetetty|wysłano z|wysłane z|отправлено (?:с|из)|надіслано (?:з|із)|odesláno z|elküldve|从我的|從我的|发自我的|發自我的|自我的|trimis de pe|gönderildi|أُ?رسلت? من|נשלח מ|στάλθηκε από|odoslané z|poslano (?:z|s|iz))(?![\p{L}\p{N}]*\p{N})/iu
const DEVICE =
  /(?:^|[^\p{L}])(?:(?:iphone|ipad|android)\p{L}{0,5}|ipod|apple watch|mac(?:book)?|samsung|galaxy|huawei|xiaomi|redmi|oneplus|pixel|nokia|htc|sony|xperia|motorola|moto|oppo|vivo|realme|blackberry\p{L}{0,2}|windows (?:phone|mail|mobile)|smartphone\p{L}{0,2}|phone|mobile|mobil(?:telefon|gerät)\p{L}{0,2}|mobiele|mobil\p{L}{0,3}|handheld|cell|tablet|telefon\p{L}{0,3}|téléphone|teléfono|telefono|telefone|móvil|celular|cellulare|handy|puhelimesta\p{L}{0,3}|телефона?|смартфона?|outlook|mail(?:app|box)?|gmail|yahoo!?|aol|proton(?:mail)?|tutanota|tuta|sparrow|superhuman|spark|airmail|k-9|fairemail|aquamail|bluemail|mailspring|thunderbird|hey|zoho|gmx|web\.de|hotmail|yandex|яндекс|mail\.ru|mimecast|lotus|front|missive|canary|newton|edison|mozilla|mobile device|myphone|wireless|verizon|t-mobile|vodafone|at&t|cricket|fairphone|ios)(?![\p{L}\p{N}])/iu
/** Complete phrases that name no product. */
const SENT_FROM_WHOLE =
  /^(?:(?:iphone|ipad|android)から送信|az? [^\n]{1,40}r[óő]l küldve|[^\n]{1,30}(?:['’]?(?:umdan|imden|ımdan)|['’]?den|['’]?dan) gönderildi|나의 [^\n]{1,20}에서 보냄|(?:从|從|发自|發自)我的[^\n]{1,20}|yahoo mail[^\n]{0,40})$/i
/** The device name is short and not a sentence of the sender's, e.g. a parcel number or a question. */
const DEVICE_LINE_MAX = 100
/** A make and model not covered above. */
const MODEL = /^Sent from my (?:[\p{Lu}\p{N}][\p{L}\p{N}-]{0,20}\s?){2,5}\.?$/u
/** `From my iPhone 6`: only the device. */
const BARE =
  /^from my (?:iphone|ipad|ipod|android|blackberry|phone|smartphone|mobile|cell|tablet|samsung|galaxy)(?: (?:\d{1,2}|pro|plus|max|mini|phone|tablet|device)){0,3}\.?$/i
/** A link on the program's name, as HTML or Markdown leaves it in text. */
const ADDRESS = /\]?[(<]?https?:\/\/[^\s)>]{1,400}[)>]?/gi
const unwrapped = (line: string): string =>
  line
    .replace(ADDRESS, ' ')
    .trim()
    .replace(/^[*_<([]{1,3}/, '')
    .replace(/(?<![*_>)\]])[*_>)\]]{1,3}$/, '')

export const isSentFrom = (given: string): boolean => {
  const line = unwrapped(given)
  if (line.length > DEVICE_LINE_MAX) return false
  if (SENT_FROM_WHOLE.test(line) || BARE.test(line)) return true
  const begins = SENT_FROM.exec(line)?.[0]
  if (begins === undefined || /\p{N}{4}|[?]|:\s*\p{N}/u.test(line)) return false
  const after = line.slice(begins.length, begins.length + 50)
  if (MODEL.test(line)) return true
  const device = DEVICE.exec(after)
  return device !== null && !/[,;!]/.test(after.slice(0, device.index))
}
