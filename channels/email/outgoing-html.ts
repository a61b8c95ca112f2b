// The HTML of mail that we send. It is stored as sanitize.ts leaves it, like received HTML, so that one viewer shows both;
// toWireHtml turns it into what mail programs understand.
import { htmlToText } from './html-text.ts'

const TAG = /<[a-z][^<>]*>/gi
const ATTACHMENT = / data-attachment="([^"]+)"/
/** Without a value where it is empty. */
const QUOTE = / data-quote(?:="[^"]*")?(?=[\s/>])/
const OTHER_MARKS = / data-(?:quote-start|leads-to|cid)(?:="[^"]*")?(?=[\s/>])/g

export type CleanHtml = {
  /** Images of the author's are data-attachment. */
  html: string
  /** The same as plain text. */
  text: string
}

/** What a person wrote, made safe. Null if nothing is left of it. */
export const cleanHtml = async (html: string): Promise<CleanHtml | null> => {
  const { sanitizeMailHtml } = await import('./sanitize.ts')
  const clean = sanitizeMailHtml(html)?.html.replaceAll(TAG, (tag) =>
    tag
      .replace(/ data-cid="/, ' data-attachment="')
      .replace(QUOTE, '')
      .replaceAll(OTHER_MARKS, ''),
  )
  return clean ? { html: clean, text: htmlToText(clean).text } : null
}

export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** Plain text as HTML: paragraphs at blank lines, line breaks elsewhere. */
export const textToHtml = (text: string): string =>
  text
    .split(/\r?\n[^\S\n]*\r?\n\s*/)
    .map((paragraph) => `<p>${escapeHtml(paragraph).replaceAll(/\r?\n/g, '<br>\n')}</p>`)
    .join('\n')

/** The attachments shown in stored HTML. */
export const attachmentsIn = (html: string): string[] => [
  ...new Set((html.match(TAG) ?? []).flatMap((tag) => ATTACHMENT.exec(tag)?.[1] ?? [])),
]

export const contentIdOf = (attachmentId: string): string => `${attachmentId}@inline.invalid`

/** Stored HTML as it is sent. Images whose attachment isn't sent along keep their description only. */
export const toWireHtml = (html: string, sent: ReadonlySet<string>): string =>
  html.replaceAll(TAG, (tag) => {
    const id = ATTACHMENT.exec(tag)?.[1]
    const source = id && sent.has(id) ? ` src="cid:${contentIdOf(id)}"` : ''
    return tag
      .replace(ATTACHMENT, source)
      .replace(/ data-src="/, ' src="')
      .replace(QUOTE, /^<blockquote\b/i.test(tag) ? ' type="cite"' : ' class="gmail_quote"')
      .replaceAll(OTHER_MARKS, '')
  })
