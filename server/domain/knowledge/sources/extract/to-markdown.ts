// HTML as Markdown: headings, paragraphs, lists and tables. Links and images keep their text only: what is quoted to
// customers never has an address that a page chose. Pure.

/** What is used of the elements of the library's document. */
export type HtmlNode = {
  nodeType: number
  nodeName: string
  textContent: string | null
  childNodes: Iterable<HtmlNode>
}

const ELEMENT = 1
const TEXT = 3

const HEADING = /^H([1-6])$/
const SKIPPED = new Set(
  'SCRIPT STYLE NOSCRIPT TEMPLATE IFRAME OBJECT SVG CANVAS VIDEO AUDIO IMG PICTURE BUTTON INPUT SELECT TEXTAREA HEAD TITLE META LINK'.split(
    ' ',
  ),
)
const BLOCKS = new Set(
  'ADDRESS ARTICLE ASIDE BLOCKQUOTE BODY DD DETAILS DIV DL DT FIELDSET FIGCAPTION FIGURE FOOTER FORM HEADER HTML MAIN NAV P PRE SECTION SUMMARY'.split(
    ' ',
  ),
)
const BLANK = /\s+/g

/** Zero-width characters, direction controls, tags and soft hyphens: nobody sees them. Joiners and emoji need the others. */
const INVISIBLE = /(?!\u200c|\u200d|\ufe0f)\p{Default_Ignorable_Code_Point}/gu
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are removed because databases and people can't read them
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g

export const stripInvisible = (text: string): string =>
  text.replace(/\r\n?/g, '\n').replace(INVISIBLE, '').replace(CONTROLS, '').toWellFormed()

/** What makes more than a paragraph of a line. */
const LINE_START = /^(#{1,6}(?=\s|$)|>|[-+](?=\s|$)|={3}|-{3}|~{3}|\|)/
const NUMBERED = /^(\d{1,9})([.)])(?=\s|$)/

/** Text that Markdown shows as it is. */
export const escapeMarkdown = (text: string): string =>
  text
    .replace(/[\\`*<[\]]|(?<!\w)_|_(?!\w)/g, '\\$&')
    .split('\n')
    .map((line) => line.trimStart().replace(LINE_START, '\\$1').replace(NUMBERED, '$1\\$2'))
    .join('\n')

const plain = ({ textContent }: HtmlNode): string => (textContent ?? '').replace(BLANK, ' ')

const isElement = (node: HtmlNode): boolean => node.nodeType === ELEMENT
const nameOf = (node: HtmlNode): string => node.nodeName.toUpperCase()

/** Everything in one line. */
const inline = (node: HtmlNode): string => {
  if (node.nodeType === TEXT) return plain(node)
  if (!isElement(node) || SKIPPED.has(nameOf(node))) return ''
  if (nameOf(node) === 'BR') return ' '
  const text = [...node.childNodes].map(inline).join('')
  return BLOCKS.has(nameOf(node)) || /^(LI|TR|TD|TH|H[1-6])$/.test(nameOf(node)) ? ` ${text} ` : text
}
const line = (node: HtmlNode): string => escapeMarkdown(inline(node).replace(BLANK, ' ').trim())

const elementsNamed = (node: HtmlNode, names: RegExp, within: RegExp): HtmlNode[] =>
  [...node.childNodes].flatMap((child) =>
    names.test(nameOf(child))
      ? [child]
      : within.test(nameOf(child))
        ? elementsNamed(child, names, within)
        : [],
  )

const table = (node: HtmlNode): string => {
  const rows = elementsNamed(node, /^TR$/, /^(THEAD|TBODY|TFOOT)$/).map((row) =>
    elementsNamed(row, /^T[DH]$/, /^$/).map((cell) => line(cell).replaceAll('|', '\\|')),
  )
  const width = Math.max(0, ...rows.map((cells) => cells.length))
  if (width === 0) return ''
  // One column, or cells that hold whole parts of a page: a table for its looks.
  if (width === 1) return rows.map(([cell]) => cell).join('\n\n')
  const full = rows.map(
    (cells) => `| ${Array.from({ length: width }, (_, at) => cells[at] ?? '').join(' | ')} |`,
  )
  return [full[0], `|${' --- |'.repeat(width)}`, ...full.slice(1)].join('\n')
}

const list = (node: HtmlNode, depth: number): string =>
  elementsNamed(node, /^LI$/, /^$/)
    .map((item, at) => {
      const mark = nameOf(node) === 'OL' ? `${at + 1}. ` : '- '
      const text = blocks(item, depth + 1).join('\n')
      return text === '' ? '' : mark + text.replaceAll('\n', `\n${' '.repeat(mark.length)}`)
    })
    .filter(Boolean)
    .join('\n')

/** Deeper lists are read as text. */
const LISTS_MAX = 6

const block = (node: HtmlNode, depth: number): string[] => {
  const name = nameOf(node)
  const level = HEADING.exec(name)?.[1]
  if (level) return line(node) === '' ? [] : [`${'#'.repeat(Number(level))} ${line(node)}`]
  if ((name === 'UL' || name === 'OL') && depth < LISTS_MAX) return [list(node, depth)]
  if (name === 'TABLE') return [table(node)]
  // How a question of a page of questions is often written.
  if (name === 'SUMMARY') return line(node) === '' ? [] : [`### ${line(node)}`]
  return blocks(node, depth)
}

const isBlock = (node: HtmlNode): boolean =>
  isElement(node) &&
  (BLOCKS.has(nameOf(node)) ||
    /^(H[1-6]|UL|OL|LI|TABLE|BR|HR)$/.test(nameOf(node)) ||
    [...node.childNodes].some(isBlock))

const blocks = (node: HtmlNode, depth: number): string[] => {
  const done: string[] = []
  let text = ''
  const finish = () => {
    const paragraph = escapeMarkdown(text.replace(BLANK, ' ').trim())
    if (paragraph !== '') done.push(paragraph)
    text = ''
  }
  for (const child of node.childNodes) {
    if (!isBlock(child) || SKIPPED.has(nameOf(child))) text += inline(child)
    else {
      finish()
      if (!/^[BH]R$/.test(nameOf(child))) done.push(...block(child, depth))
    }
  }
  finish()
  return done.filter(Boolean)
}

export const toMarkdown = (node: HtmlNode): string => stripInvisible(blocks(node, 0).join('\n\n'))
