// Makes a stranger's HTML safe to show in an iframe, and marks its quotes. The output is well-formed, runs nothing and
// fetches nothing: remote images become data-src and the email's own data-cid, for the caller to decide about. Quotes
// are marked data-quote (this element) or data-quote-start (this and everything after it).
import sanitizeHtml from 'sanitize-html'
import { markLinks } from './link-hosts.ts'

export const HTML_MAX = 1_000_000
const NESTING_MAX = 80
/** No real email nests unclosed elements deeper; parsing time grows with the square of the depth. */
const DEPTH_MAX = 1_000
const STYLE_MAX = 2_000
const URL_MAX = 2_000
const ATTRIBUTE_MAX = 500
/** The total size of images inside the HTML. */
const DATA_IMAGES_MAX = 500_000

const BLOCKS = [
  'p',
  'div',
  'blockquote',
  'pre',
  'ul',
  'ol',
  'li',
  'dl',
  'dt',
  'dd',
  'hr',
  'br',
  'center',
  'address',
]
const SECTIONS = [
  'section',
  'article',
  'header',
  'footer',
  'main',
  'figure',
  'figcaption',
  'details',
  'summary',
]
const HEADINGS = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6']
const TABLES = ['table', 'thead', 'tbody', 'tfoot', 'tr', 'td', 'th', 'caption', 'colgroup', 'col']
const WORDS = [
  'a',
  'b',
  'strong',
  'i',
  'em',
  'u',
  's',
  'strike',
  'del',
  'ins',
  'mark',
  'small',
  'big',
  'sub',
  'sup',
]
const MORE = [
  'span',
  'font',
  'code',
  'kbd',
  'samp',
  'var',
  'tt',
  'abbr',
  'q',
  'cite',
  'img',
  'bdi',
  'bdo',
  'wbr',
]

/** Properties that only affect the look of text within its own box. */
const STYLES: Record<string, RegExp> = {}
const COLOUR = /^(?:#[0-9a-f]{3,8}|[a-z]{3,20}|rgba?\([\d\s.,%]{1,40}\))$/i
const LENGTH =
  /^(?:-?\d{1,4}(?:\.\d{1,4})?(?:px|pt|em|rem|ex|%|cm|mm|in)?|auto|0)(?:\s+(?:\d{1,4}(?:\.\d{1,4})?(?:px|pt|em|rem|ex|%|cm|mm|in)?|auto|0)){0,3}$/i
for (const name of ['color', 'background-color']) STYLES[name] = COLOUR
for (const name of [
  'font-weight',
  'font-style',
  'text-decoration',
  'text-align',
  'vertical-align',
  'white-space',
  'direction',
  'list-style-type',
  'border-collapse',
  'text-transform',
  'display',
])
  STYLES[name] = /^(?:[a-z-]{1,20}|\d{1,4})$/i
for (const name of [
  'font-size',
  'line-height',
  'padding',
  'padding-top',
  'padding-right',
  'padding-bottom',
  'padding-left',
  'margin',
  'margin-top',
  'margin-right',
  'margin-bottom',
  'margin-left',
  'width',
  'max-width',
  'height',
  'border-spacing',
  'border-radius',
])
  STYLES[name] = LENGTH
for (const name of ['border', 'border-top', 'border-right', 'border-bottom', 'border-left'])
  STYLES[name] = /^[a-z0-9#.\s]{1,60}$/i
STYLES['font-family'] = /^[\p{L}\d\s,'"-]{1,200}$/u

const safeStyle = (style: string): string => {
  const kept: string[] = []
  for (const declaration of style.slice(0, STYLE_MAX).split(';')) {
    const colon = declaration.indexOf(':')
    if (colon < 1) continue
    const name = declaration.slice(0, colon).trim().toLowerCase()
    const value = declaration
      .slice(colon + 1)
      .replace(/!\s?important/i, '')
      .trim()
    // A negative margin could put one element over another.
    if (/^margin/.test(name) && value.includes('-')) continue
    if (STYLES[name]?.test(value)) kept.push(`${name}:${value}`)
  }
  return kept.join(';')
}

/** Elements whose text is dropped. Others that are never shown, but often left open, keep their content. */
const HIDDEN = ['script', 'style', 'title', 'textarea', 'option'] as const

const QUOTE_CLASSES =
  /(?:^|\s)(?:gmail_quote|gmail_quote_container|yahoo_quoted|protonmail_quote|tutanota_quote|moz-cite-prefix|zmail_extra|moz-email-headers-table|ydp\w{1,20}yahoo_quoted|gmail_extra|OutlookMessageHeader|quoted-?text|WebMailQuote|mail-quote|sh-signature-quote|cite-prefix|ms-outlook-mobile-reference-message|skype-quote)(?:\s|$)/i
const QUOTE_START_IDS =
  /^(?:x_)*(?:divRplyFwdMsg|appendonsend|OLK_SRC_BODY_SECTION|mail-editor-reference-message-container|isForwardContent|reply-intro|divtagdefaultwrapper-reply|ymail_android_signature_quote|orb-quote|_rc_sig_quote|stopSpelling)$/i
/** The line that Outlook for Windows draws above a quote. */
const OUTLOOK_RULE =
  /border-top:\s?solid #(?:e1e1e1|b5c4df) 1\.0pt|border:none;\s?border-top:\s?solid #(?:e1e1e1|b5c4df)/i

const markOf = (
  tag: string,
  attribs: Record<string, string>,
): 'data-quote' | 'data-quote-start' | undefined => {
  const { id = '', type = '', style = '' } = attribs
  const names = attribs.class ?? ''
  if (QUOTE_START_IDS.test(id.slice(0, 100))) return 'data-quote-start'
  if (tag === 'div' && OUTLOOK_RULE.test(style.slice(0, 300))) return 'data-quote-start'
  if (names && QUOTE_CLASSES.test(names.slice(0, 200))) return 'data-quote'
  if (tag === 'blockquote' && (type.toLowerCase() === 'cite' || 'cite' in attribs)) return 'data-quote'
  return undefined
}

const DATA_IMAGE = /^data:image\/(?:png|jpe?g|gif|webp|bmp);base64,[a-z0-9+/=\s]+$/i
/** Any other URL would lead from the page that shows the email into Foyer itself. */
const LINK = /^[\t\n\f\r ]*(?:https?:\/\/|mailto:|tel:)/i
const DIMENSION = /^\d{1,4}%?$/

const keepDimension = (attribs: Record<string, string>, name: 'width' | 'height'): Record<string, string> =>
  DIMENSION.test(attribs[name] ?? '') ? { [name]: attribs[name]! } : {}

/** The HTML of an email, bounded and sanitised. Null if there is nothing to show. */
export const sanitizeMailHtml = (html: string): { html: string; isCut: boolean } | null => {
  const readable = beforeDepth(html.slice(0, HTML_MAX))
  const isCut = readable.length < html.length
  let dataLeft = DATA_IMAGES_MAX
  const image = (attribs: Record<string, string>): Record<string, string> => {
    const src = (attribs.src ?? '').trim()
    const shared: Record<string, string> = {
      alt: (attribs.alt ?? '').slice(0, ATTRIBUTE_MAX),
      ...keepDimension(attribs, 'width'),
      ...keepDimension(attribs, 'height'),
    }
    if (/^cid:/i.test(src)) return { ...shared, 'data-cid': decoded(src.slice(4)).slice(0, ATTRIBUTE_MAX) }
    if (src.length <= dataLeft && DATA_IMAGE.test(src)) {
      dataLeft -= src.length
      return { ...shared, src }
    }
    if (/^(?:https?:)?\/\//i.test(src) && src.length <= URL_MAX)
      return { ...shared, 'data-src': src.startsWith('//') ? `https:${src}` : src }
    return shared
  }
  const sanitized = (text: string, hidden: readonly string[]): string =>
    sanitizeHtml(text, {
      allowedTags: [...BLOCKS, ...SECTIONS, ...HEADINGS, ...TABLES, ...WORDS, ...MORE],
      nonTextTags: [...hidden],
      allowedAttributes: {
        '*': ['style', 'dir', 'lang', 'align', 'data-quote', 'data-quote-start'],
        a: ['href', 'name', 'target', 'rel'],
        img: ['src', 'alt', 'width', 'height', 'data-src', 'data-cid'],
        table: ['border', 'cellpadding', 'cellspacing', 'width', 'bgcolor'],
        td: ['colspan', 'rowspan', 'width', 'height', 'valign', 'bgcolor'],
        th: ['colspan', 'rowspan', 'width', 'height', 'valign', 'bgcolor'],
        col: ['span', 'width'],
        font: ['color', 'size', 'face'],
        ol: ['start', 'type'],
        li: ['value'],
      },
      allowedSchemes: ['http', 'https', 'mailto', 'tel'],
      allowedSchemesByTag: { img: ['data'] },
      allowProtocolRelative: false,
      nestingLimit: NESTING_MAX,
      parseStyleAttributes: false,
      enforceHtmlBoundary: false,
      transformTags: {
        '*': (tagName, attribs) => {
          const mark = markOf(tagName, attribs)
          const kept: Record<string, string> = {}
          for (const [name, value] of Object.entries(attribs))
            if (
              name !== 'style' &&
              name !== 'data-quote' &&
              name !== 'data-quote-start' &&
              value.length <= URL_MAX
            )
              kept[name] = value
          if (attribs.style) {
            const style = safeStyle(attribs.style)
            if (style) kept.style = style
          }
          if (mark) kept[mark] = ''
          if (tagName === 'img')
            return { tagName, attribs: { ...image(attribs), ...(kept.style && { style: kept.style }) } }
          if (tagName === 'a' && !LINK.test(kept.href ?? '')) delete kept.href
          if (tagName === 'a' && kept.href)
            return { tagName, attribs: { ...kept, target: '_blank', rel: 'noopener noreferrer nofollow' } }
          return { tagName, attribs: kept }
        },
      },
    })
  const clean = sanitized(readable, HIDDEN)
  if (clean.trim() !== '') return { html: markLinks(clean), isCut }
  // If one of these is never closed, it hides everything after it.
  const opened = sanitized(
    readable.replace(/<(\/?)(?:title|textarea|option)\b/gi, '<$1x'),
    HIDDEN.slice(0, 2),
  )
  return opened.trim() === '' ? null : { html: markLinks(opened), isCut }
}

/** Elements that don't need to be closed. */
const UNCLOSED =
  /^(?:p|li|td|th|tr|tbody|thead|tfoot|dt|dd|option|br|hr|img|meta|link|input|col|colgroup|area|base|wbr|param|source|html|head|body)$/i

/** The HTML up to where the nesting exceeds the limit. */
const beforeDepth = (html: string): string => {
  let depth = 0
  for (const match of html.matchAll(/<(\/?)([a-z][a-z0-9]{0,20})/gi)) {
    if (UNCLOSED.test(match[2]!)) continue
    depth = match[1] ? Math.max(0, depth - 1) : depth + 1
    if (depth > DEPTH_MAX) return html.slice(0, match.index)
  }
  return html
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
