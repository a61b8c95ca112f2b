// Tells what somebody wrote from what they quoted, in plain text. Mail programs mark a quote in their user's language;
// the tables below are what they write. Nothing here looks at more than LINES_MAX lines or at more than LINE_MAX
// characters of one, and no pattern repeats inside a repetition, so that no text takes long.

export type Split = {
  visible: string
  /** Whether anything was taken away. */
  hasQuote: boolean
}

const LINES_MAX = 5_000
const LINE_MAX = 400
/** "On … wrote:" may be broken over so many lines. */
const WRAPPED_MAX = 4
/** After "-- ", a signature; what is longer is no signature. */
const SIGNATURE_LINES_MAX = 25

/** A quoted line from this length on may have been broken by a program that did not mark its rest. */
const BROKEN_MIN = 65
/** The footer of a mailing list is no longer than this. */
const FOOTER_LINES_MAX = 6

/** How the line before a quote begins, and what it holds at its end, by language. */
const ATTRIBUTIONS: readonly [begins: RegExp, ends: RegExp][] = [
  [/^(?:on|at|in)\s/i, /\b(?:wrote|writes|said)\s?[:：]?$/i],
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
    /^(?:пн|вт|ср|чт|пт|сб|вс|\d|понедельник|вторник|среда|четверг|пятница|суббота|воскресенье)/i,
    /(?:написал|писал|пишет|написав)(?:\(а\)|а|и)?.*:$|>\s?:$/i,
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
]

/** `Anna <anna@x.org> wrote:` and its like: the name first. */
const NAME_FIRST =
  /^[^<>]{1,120}[<([][^<>\s]{1,120}@[^<>\s]{1,120}[>)\]].{0,80}(?:\b(?:wrote|schrieb|schreef|skrev|écrit|escribió|scritto|escreveu|napisał|kirjoitti|написал)(?:\(a\)|a|а)?|ezt írta.{0,80}|yazdı)\s?:$/i
const NAME_FIRST_PLAIN =
  /^\p{Lu}[^<>:]{1,80}\s(?:wrote|schrieb|skrev|schreef|écrit)(?:\s[^:]{0,60}\d[^:]{0,60})?:$/u
/** `2024-03-12 10:15 GMT+01:00 Anna <anna@x.org>:` and `Thu, 26 Jun 2014 14:00 from Anna <anna@x.org>:` */
const DATE_FIRST = /^(?=.{0,60}(?:\b\d{4}\b|\d:\d\d)).{8,200}<[^<>\s]{1,120}@[^<>\s]{1,120}>\s?:$/

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
const ORIGINAL = new RegExp(`^[-_=*\\s]{0,40}(?:${ORIGINAL_WORDS})\\s?:?[-_=*\\s]{0,40}$`, 'i')

const FORWARD_WORDS = [
  'forwarded message|begin forwarded message|forwarded by|weitergeleitete nachricht|anfang der weitergeleiteten (?:nachricht|e-?mail)',
  'message transf[ée]r[ée]|d[ée]but du message (?:r[ée]exp[ée]di[ée]|transf[ée]r[ée])|mensaje reenviado|inicio del mensaje reenviado',
  'messaggio inoltrato|inizio messaggio inoltrato|mensagem (?:encaminhada|reencaminhada)|doorgestuurd bericht|begin doorgestuurd bericht',
  'videresendt (?:meddelelse|melding|besked)|vidarebefordrat meddelande|v[äa]litetty viesti|przekazana wiadomo[śs][ćc]|пересылаемое сообщение',
  'p[řr]eposlan[áa] zpr[áa]va|tov[áa]bb[íi]tott [üu]zenet|iletilmiş mesaj|转发的邮件|轉寄郵件|転送メッセージ|전달된 메시지',
].join('|')
const FORWARD = new RegExp(`^[-_=*>\\s]{0,40}(?:${FORWARD_WORDS})\\s?:?[-_=*\\s]{0,40}$`, 'i')
const FORWARD_SUBJECT = /^\s*(?:fwd?|wg|tr|rv|i|enc|vs|vb|vl|doorst|pd|továbbítás|пересл|转发|轉寄)\s?:/i

const label = (words: string): RegExp =>
  new RegExp(`^[*_>\\s]{0,6}(?:${words})\\s?[*_]{0,3}\\s?[:：]\\s?`, 'i')
const FROM_LABEL = label(
  'from|von|de|da|van|fra|från|od|от|кого|lähettäjä|kimden|gönderen|feladó|de la|από|מאת|من|发件人|寄件者|寄件人|差出人|보낸 사람|보낸사람|từ|dari|expéditeur|remitente|mittente|afzender|afsender|avsändare|nadawca',
)
const OTHER_LABEL = label(
  'sent|date|to|cc|subject|reply-to|gesendet|datum|an|betreff|kopie|envoyé|à|objet|sujet|message du|copie à|enviado(?: el)?|enviada em|data|para|asunto|assunto|inviato|oggetto|a|per|verzonden|aan|onderwerp|sendt|til|emne|skickat|till|ämne|wysłano|do|temat|dw|lähetetty|vastaanottaja|aihe|дата|отправлено|кому|тема|копия|odesláno|komu|předmět|předmet|odoslané|küldve|címzett|tárgy|trimis|către|subiect|tarih|gönderildi|kime|konu|στάλθηκε|προς|θέμα|ημερομηνία|נשלח|אל|נושא|תאריך|تاريخ|إلى|الموضوع|发送时间|日期|收件人|抄送|主题|寄件日期|傳送時間|收件者|副本|主旨|送信日時|宛先|件名|日付|보낸 날짜|받는 사람|제목|날짜|gửi|đến|chủ đề|tanggal|kepada|subjek',
)
/** Lines of a header block that must name something before it counts as one. */
const LABELS_MIN = 2
const BLOCK_LINES_MAX = 9
const RULE = /^[_*=-]{10,}$/

const QUOTED = /^\s{0,3}>/
const SENT_FROM =
  /^(?:sent (?:from|via|with)|get outlook for|gesendet (?:von|mit)|von meinem .{1,40} gesendet|diese nachricht wurde von meinem|envoyé (?:de|depuis|à partir|avec)|téléchargez? outlook|enviado (?:desde|do|de|a partir)|obtener outlook|obter o outlook|inviato (?:da|dal)|verzonden (?:vanaf|met|via)|verstuurd vanaf|sendt fra|skickat från|lähetetty|wysłano z|wysłane z|отправлено (?:с|из)|odesláno z|elküldve|从我的|從我的|发自我的|發自我的|自我的|iphoneから送信|androidから送信|나의 .{1,20}에서 보냄|yahoo mail)(?:\s.{0,120}|[^\s].{0,60})?$/i

const trimmed = (line: string): string => line.slice(0, LINE_MAX).trim()

/** How many lines from here are the line that introduces a quote; 0 when they are none. */
const attributionAt = (lines: readonly string[], at: number): number => {
  let joined = ''
  for (let count = 1; count <= WRAPPED_MAX && at + count <= lines.length; count++) {
    const raw = lines[at + count - 1]!
    const line = trimmed(raw.replace(/^[>\s]{0,10}/, ''))
    if (line === '' || raw.length > LINE_MAX) return 0
    joined = joined ? `${joined} ${line}` : line
    if (joined.length > LINE_MAX) return 0
    const bare = joined.replace(/^[-*_\s]{0,10}/, '').replace(/[-*_\s]{0,10}$/, '')
    if (!/[:：]$/.test(bare) && !/\bwrote$/i.test(bare)) continue
    if (NAME_FIRST.test(bare) || DATE_FIRST.test(bare)) return count
    if (count === 1 && NAME_FIRST_PLAIN.test(bare) && QUOTED.test(lines[at + 1] ?? lines[at + 2] ?? ''))
      return count
    // A sentence that ends in "wrote:" has neither a date nor an address.
    const names = /\d/.test(bare) || bare.includes('@')
    if (names && ATTRIBUTIONS.some(([begins, ends]) => begins.test(bare) && ends.test(bare))) return count
    return 0
  }
  return 0
}

/** Whether a block of From:, Sent:, To:, Subject: begins here. */
const isHeaderBlock = (lines: readonly string[], at: number): boolean => {
  const first = lines[at]!
  if (first.length > LINE_MAX * 4 || !FROM_LABEL.test(first)) return false
  let labels = 0
  for (let i = at + 1; i < Math.min(lines.length, at + BLOCK_LINES_MAX); i++) {
    const line = lines[i]!
    if (OTHER_LABEL.test(line.slice(0, 80))) labels++
    if (labels >= LABELS_MIN) return true
  }
  return false
}

type Cut = { at: number /** Lines of the marker itself. */; length: number; kind: 'attribution' | 'block' }

/** Where the first quote begins, or a forwarded message, which is none. */
const findCut = (lines: readonly string[]): Cut | 'forward' | undefined => {
  for (let at = 0; at < lines.length; at++) {
    const raw = lines[at]!
    const line = trimmed(raw)
    if (line === '') continue
    if (FORWARD.test(line)) return 'forward'
    if (ORIGINAL.test(line) && /[-_=*]|:$|[^\p{ASCII}]/u.test(line)) return { at, length: 1, kind: 'block' }
    if (RULE.test(line)) {
      let next = at + 1
      while (next < lines.length && next < at + 3 && lines[next]!.trim() === '') next++
      if (next < lines.length && isHeaderBlock(lines, next)) return { at, length: 1, kind: 'block' }
      continue
    }
    if (isHeaderBlock(lines, at)) return { at, length: 1, kind: 'block' }
    let length = attributionAt(lines, at)
    if (length === 0) continue
    // The last words above it are not its beginning.
    while (length > 1 && attributionAt(lines, at + 1) === length - 1) {
      at++
      length--
    }
    return { at, length, kind: 'attribution' }
  }
  return undefined
}

const isBlank = (line: string): boolean => line.trim() === ''
const isQuoted = (line: string): boolean => QUOTED.test(line)

/** Takes quoted lines and blank ones from the end. */
const dropTrailingQuote = (lines: readonly string[]): string[] => {
  let end = lines.length
  while (end > 0 && (isBlank(lines[end - 1]!) || isQuoted(lines[end - 1]!))) end--
  return lines.slice(0, end)
}

/** Lines that lead over to a block of headers. */
const dropLead = (lines: readonly string[]): string[] => {
  let end = lines.length
  while (end > 0) {
    const line = lines[end - 1]!.trim()
    if (line !== '' && !/^[_*=-]{3,}$/.test(line) && !OTHER_LABEL.test(line.slice(0, 80))) break
    end--
  }
  return lines.slice(0, end)
}

const dropSignature = (lines: readonly string[]): string[] => {
  let kept = [...lines]
  while (kept.length > 0 && isBlank(kept.at(-1)!)) kept.pop()
  const footer = kept.findIndex(
    (line, at) => at >= kept.length - FOOTER_LINES_MAX && /^_{2,}$/.test(line.trim()),
  )
  if (footer > 0) kept = kept.slice(0, footer)
  for (let at = kept.length - 1; at >= Math.max(0, kept.length - SIGNATURE_LINES_MAX); at--)
    if (/^--\s?$/.test(kept[at]!) || /^—$/.test(kept[at]!)) {
      kept = kept.slice(0, at)
      break
    }
  while (kept.length > 0 && isBlank(kept.at(-1)!)) kept.pop()
  const last = trimmed(kept.at(-1) ?? '').replace(/^[*_<([]{1,3}/, '')
  if (SENT_FROM.test(last)) kept.pop()
  return kept
}

/** What follows an introduction: all quoted, or with words of the writer's own. */
const ownAfter = (lines: readonly string[], from: number): 'none' | 'below' | 'between' => {
  let runs = 0
  let inRun = false
  let own = 0
  let ownBetween = 0
  let before = ''
  for (const line of dropSignature(lines.slice(from))) {
    // A mail program broke a long quoted line: its rest stands right under it.
    const isBroken = isQuoted(before) && before.length >= BROKEN_MIN && !isQuoted(line) && !isBlank(line)
    before = line
    if (isBlank(line) || isBroken) continue
    if (isQuoted(line)) {
      if (!inRun) runs++
      inRun = true
      if (own > 0) ownBetween = own
    } else {
      inRun = false
      if (runs > 0) own++
    }
  }
  if (runs === 0 || own === 0) return 'none'
  return ownBetween > 0 ? 'between' : 'below'
}

/**
 * The part of a text that its writer wrote. Answers between quoted lines keep the quotes, as they make no sense without
 * them. A forwarded message is what was sent, not a quote. Where nothing would be left, all of it is visible.
 */
export const splitQuotes = (text: string, subject = ''): Split => {
  const all = text.replaceAll('\r\n', '\n').replaceAll('\r', '\n')
  const lines = all.split('\n', LINES_MAX)
  const whole: Split = { visible: all.trim(), hasQuote: false }
  let rest = ''
  if (lines.length === LINES_MAX) {
    let length = 0
    for (const line of lines) length += line.length + 1
    rest = all.slice(length)
  }
  const cut = findCut(lines)
  if (cut === 'forward' || (cut?.kind === 'block' && FORWARD_SUBJECT.test(subject))) return whole
  let kept: string[]
  if (!cut) kept = rest ? lines : dropTrailingQuote(dropSignature(dropTrailingQuote(lines)))
  else {
    const before = lines.slice(0, cut.at)
    const own = cut.kind === 'attribution' && !rest ? ownAfter(lines, cut.at + cut.length) : 'none'
    if (own === 'between')
      return { ...whole, visible: dropSignature(lines).join('\n').trim() || whole.visible }
    if (own === 'below') {
      const after = lines.slice(cut.at + cut.length).filter((line) => !isQuoted(line))
      kept = [...before, ...dropSignature(after)]
    } else kept = dropSignature(dropTrailingQuote(cut.kind === 'block' ? dropLead(before) : before))
    rest = ''
  }
  const visible = (rest ? `${kept.join('\n')}\n${rest}` : kept.join('\n')).trim()
  if (visible === '') return whole
  return { visible, hasQuote: visible.length < whole.visible.length }
}
