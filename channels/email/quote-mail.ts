// What is replied to or forwarded, as text and HTML to go below a new mail. Mail programs recognise both forms and fold
// them, as quotes.ts and sanitize.ts do here.
import type { MailAddress } from './mail.ts'
import { escapeHtml, textToHtml } from './outgoing-html.ts'

export type QuotedMail = {
  as: 'reply' | 'forward'
  from: MailAddress | null
  to: readonly MailAddress[]
  cc: readonly MailAddress[]
  subject: string | null
  sentAt: Date
  /** With what it quotes itself. */
  text: string
  /** As stored: see sanitize.ts. */
  html: string | null
}

/** Longer originals are cut, so that a thread doesn't grow without end. */
const TEXT_MAX = 50_000
/** The HTML of longer originals is left out; their text is quoted. */
const HTML_MAX = 300_000

const DATE = new Intl.DateTimeFormat('en-GB', {
  ...{ day: 'numeric', month: 'long', year: 'numeric', hour: '2-digit', minute: '2-digit' },
  ...{ hourCycle: 'h23', timeZone: 'UTC', timeZoneName: 'short' },
})

const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()

const nameOf = ({ name, address }: MailAddress): string => (name ? `${oneLine(name)} <${address}>` : address)

const introductionOf = ({ from, sentAt }: QuotedMail): string =>
  `On ${DATE.format(sentAt)}, ${from ? nameOf(from) : 'the sender'} wrote:`

const headOf = ({ from, to, cc, subject, sentAt }: QuotedMail): string[] => [
  '---------- Forwarded message ---------',
  ...(from ? [`From: ${nameOf(from)}`] : []),
  `Date: ${DATE.format(sentAt)}`,
  ...(subject ? [`Subject: ${oneLine(subject)}`] : []),
  ...(to.length > 0 ? [`To: ${to.map(nameOf).join(', ')}`] : []),
  ...(cc.length > 0 ? [`Cc: ${cc.map(nameOf).join(', ')}`] : []),
]

const QUOTE_STYLE = 'margin:0 0 0 8px;border-left:1px solid #ccc;padding-left:12px'

export const quoteMail = (mail: QuotedMail): { text: string; html: string } => {
  const text = mail.text.length <= TEXT_MAX ? mail.text : `${mail.text.slice(0, TEXT_MAX).toWellFormed()}…`
  const inner = mail.html !== null && mail.html.length <= HTML_MAX ? mail.html : textToHtml(text)
  if (mail.as === 'forward') {
    const head = headOf(mail)
    return {
      text: `${head.join('\n')}\n\n${text}`,
      html: `<div>${head.map(escapeHtml).join('<br>\n')}<br>\n<br>\n</div>\n<div>${inner}</div>`,
    }
  }
  const introduction = introductionOf(mail)
  const quoted = text
    .trimEnd()
    .split(/\r?\n/)
    .map((line) => (line.startsWith('>') ? `>${line}` : `> ${line}`.trimEnd()))
  return {
    text: `${introduction}\n${quoted.join('\n')}`,
    html: `<div data-quote=""><div>${escapeHtml(introduction)}<br></div>\n<blockquote data-quote="" style="${QUOTE_STYLE}">${inner}</blockquote></div>`,
  }
}
