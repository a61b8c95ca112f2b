// Extracts text from sanitize.ts's HTML in one pass: well-formed, known elements only, quotes marked.

const BLOCK =
  /^(?:p|div|blockquote|pre|ul|ol|li|dl|dt|dd|hr|center|address|section|article|header|footer|main|figure|figcaption|details|summary|h[1-6]|table|thead|tbody|tfoot|tr|caption)$/
const PARAGRAPH = /^(?:p|h[1-6]|ul|ol|table|blockquote|pre)$/
const VOID = /^(?:br|hr|img|col|wbr)$/
const DEPTH_MAX = 200
const LINK_MAX = 300

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' }

const unescapeText = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,6}));/gi, (all, decimal, hex, name) => {
    if (name) return ENTITIES[name.toLowerCase()] ?? all
    const point = decimal ? Number(decimal) : Number.parseInt(hex, 16)
    return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : ''
  })

type Walker = { parts: string[]; ends: 0 | 1 | 2 }

const makeWalker = (): Walker => ({ parts: [], ends: 2 })

const breakLine = (walker: Walker, count: 1 | 2): void => {
  while (walker.ends < count) {
    walker.parts.push('\n')
    walker.ends++
  }
}

const addText = (walker: Walker, text: string, isPre: boolean): void => {
  if (isPre) {
    walker.parts.push(text)
    walker.ends = text.endsWith('\n') ? 1 : 0
    return
  }
  let collapsed = text.replace(/[ \t\n\r\f\u00a0]+/g, ' ')
  if (walker.ends > 0) collapsed = collapsed.replace(/^ /, '')
  if (collapsed === '') return
  walker.parts.push(collapsed)
  walker.ends = 0
}

const textOf = ({ parts }: Walker): string =>
  parts
    .join('')
    .replace(/(?<! ) +\n/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()

/** All of the text, and the text outside quotes. */
export const htmlToText = (html: string): { text: string; outside: string; hasQuote: boolean } => {
  const all = makeWalker()
  const own = makeWalker()
  let quoteDepth = 0
  let afterStart = false
  let preDepth = 0
  let hasQuote = false
  const open: { name: string; isQuote: boolean; href: string | null; textFrom: number }[] = []
  const isOutside = () => quoteDepth === 0 && !afterStart
  const both = (act: (walker: Walker) => void) => {
    act(all)
    if (isOutside()) act(own)
  }
  let at = 0
  while (at < html.length) {
    const lt = html.indexOf('<', at)
    const until = lt === -1 ? html.length : lt
    if (until > at) {
      const text = unescapeText(html.slice(at, until))
      both((walker) => addText(walker, text, preDepth > 0))
    }
    if (lt === -1) break
    const gt = html.indexOf('>', lt)
    if (gt === -1) break
    at = gt + 1
    const tag = html.slice(lt + 1, gt)
    const isClosing = tag.startsWith('/')
    const name = /^\/?([a-z][a-z0-9]*)/.exec(tag)?.[1]
    if (!name) continue
    if (isClosing) {
      const closed = open.pop()
      if (!closed) continue
      if (closed.name === 'pre') preDepth--
      if (closed.href) {
        const link = closed.href
        const shown = all.parts.slice(closed.textFrom).join('').trim()
        if (shown !== '' && !link.includes(shown.replace(/^https?:\/\//, '').replace(/(?<![/…])[/…]+$/, '')))
          both((walker) => addText(walker, ` <${link}>`, false))
      }
      if (BLOCK.test(closed.name)) both((walker) => breakLine(walker, PARAGRAPH.test(closed.name) ? 2 : 1))
      if (closed.name === 'td' || closed.name === 'th') both((walker) => addText(walker, ' ', false))
      if (closed.isQuote) quoteDepth--
      continue
    }
    if (tag.includes('data-quote-start') && / data-quote-start(?:[= /]|$)/.test(tag)) {
      afterStart = true
      hasQuote = true
    }
    const isQuote = / data-quote(?:[= /]|$)/.test(tag)
    if (name === 'br') {
      both((walker) => {
        walker.parts.push('\n')
        walker.ends = walker.ends === 0 ? 1 : 2
      })
      continue
    }
    if (name === 'img') {
      const alt = / alt="([^"]{1,200})"/.exec(tag)?.[1]
      if (alt) both((walker) => addText(walker, `[${unescapeText(alt)}]`, false))
      continue
    }
    if (BLOCK.test(name)) both((walker) => breakLine(walker, PARAGRAPH.test(name) ? 2 : 1))
    if (VOID.test(name)) continue
    if (isQuote) {
      quoteDepth++
      hasQuote = true
    }
    if (name === 'li') both((walker) => addText(walker, '- ', false))
    if (name === 'pre') preDepth++
    const href = name === 'a' ? / href="(https?:[^"]*)"/.exec(tag)?.[1] : undefined
    if (open.length < DEPTH_MAX)
      open.push({
        name,
        isQuote,
        href: href && href.length <= LINK_MAX ? unescapeText(href) : null,
        textFrom: all.parts.length,
      })
  }
  const text = textOf(all)
  const outside = textOf(own)
  return { text, outside, hasQuote: hasQuote && outside !== text }
}
