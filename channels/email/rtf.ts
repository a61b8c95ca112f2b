// Extracts the text of RTF, or the HTML that Outlook embedded in it (MS-OXRTFEX). One forward pass; images, font tables
// and other non-text are skipped.
import { decodeText } from './charset.ts'

const DEPTH_MAX = 500
const FONTS_MAX = 1_000
const WORD_MAX = 32
const LINK_MAX = 2_000
/** The number of pieces of a link's text that are checked. */
const SHOWN_MAX = 50

/** Groups without text. Those starting with \* have none either, except the two that are read. */
const NO_TEXT = new Set(
  [
    ['colortbl', 'stylesheet', 'info', 'pict', 'nonshppict', 'filetbl', 'revtbl', 'listtable', 'xe', 'tc'],
    ['header', 'headerl', 'headerr', 'headerf', 'footer', 'footerl', 'footerr', 'footerf', 'rxe', 'mhtmltag'],
    [
      'themedata',
      'colorschememapping',
      'datastore',
      'latentstyles',
      'generator',
      'objdata',
      'pntxta',
      'pntxtb',
    ],
  ].flat(),
)
const SYMBOLS: Record<string, string> = {
  par: '\n',
  line: '\n',
  sect: '\n',
  page: '\n',
  row: '\n',
  tab: '\t',
  cell: '\t',
  emdash: '—',
  endash: '–',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  bullet: '•',
  emspace: ' ',
  enspace: ' ',
}
/** Of a font's \fcharset. */
const CODE_PAGES: Record<number, number> = {
  128: 932,
  129: 949,
  134: 936,
  136: 950,
  161: 1253,
  162: 1254,
  163: 1258,
  177: 1255,
  178: 1256,
  186: 1257,
  204: 1251,
  222: 874,
  238: 1250,
}

type Group = {
  kind: 'text' | 'none' | 'fonts' | 'tag' | 'instruction' | 'field'
  font: number
  /** The number of fallback characters after a Unicode one. */
  standIns: number
  /** Content for programs without HTML support. */
  isForRtf: boolean
  /** Where a link's text starts. */
  textFrom: number
}

type Token =
  | { kind: 'open' }
  | { kind: 'close' }
  | { kind: 'optional' }
  | { kind: 'byte'; byte: number }
  | { kind: 'text'; text: string }
  | { kind: 'word'; word: string; number: number | undefined }

const isLetter = (byte: number | undefined): boolean =>
  byte !== undefined && ((byte >= 97 && byte <= 122) || (byte >= 65 && byte <= 90))
const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 48 && byte <= 57

/** After the backslash. */
function readControl(rtf: Buffer, at: number): { token: Token; next: number } {
  const code = rtf[at]
  if (!isLetter(code)) {
    const symbol = String.fromCharCode(code ?? 0)
    if (symbol === "'") {
      const byte = Number.parseInt(rtf.toString('latin1', at + 1, at + 3), 16)
      return { token: Number.isNaN(byte) ? { kind: 'text', text: '' } : { kind: 'byte', byte }, next: at + 3 }
    }
    const text = { '~': '\u00a0', _: '\u2011', '\\': '\\', '{': '{', '}': '}', '\n': '\n', '\r': '\n' }[
      symbol
    ]
    return { token: symbol === '*' ? { kind: 'optional' } : { kind: 'text', text: text ?? '' }, next: at + 1 }
  }
  let end = at
  while (end < at + WORD_MAX && isLetter(rtf[end])) end++
  const word = rtf.toString('latin1', at, end)
  const from = end
  if (rtf[end] === 45) end++
  while (end < from + 11 && isDigit(rtf[end])) end++
  const number = Number.parseInt(rtf.toString('latin1', from, end), 10)
  if (rtf[end] === 32) end++
  return { token: { kind: 'word', word, number: Number.isNaN(number) ? undefined : number }, next: end }
}

function* tokensOf(rtf: Buffer): Generator<Token> {
  let at = 0
  while (at < rtf.length) {
    const byte = rtf[at++]!
    if (byte === 123) yield { kind: 'open' }
    else if (byte === 125) yield { kind: 'close' }
    else if (byte === 92) {
      const { token, next } = readControl(rtf, at)
      at = next
      // Binary data follows.
      if (token.kind === 'word' && token.word === 'bin') at += Math.max(0, token.number ?? 0)
      else yield token
    } else if (byte !== 10 && byte !== 13) yield { kind: 'byte', byte }
  }
}

/** One of the two is empty: RTF holds either. */
export const readRtf = (rtf: Buffer): { text: string; html: string } => {
  const nothing = { text: '', html: '' }
  if (!rtf.subarray(0, 200).toString('latin1').trimStart().startsWith('{\\rtf')) return nothing
  const out: string[] = []
  const fonts = new Map<number, number>()
  let codePage = 1252
  let isHtml = false
  let instruction = ''
  let isOptional = false
  let skipped = 0
  let pending: number[] = []
  const groups: Group[] = []
  let now: Group = { kind: 'text', font: -1, standIns: 1, isForRtf: false, textFrom: 0 }
  const flush = (): void => {
    if (pending.length === 0) return
    const bytes = Buffer.from(pending)
    pending = []
    const page = now.kind === 'tag' ? codePage : (fonts.get(now.font) ?? codePage)
    write(decodeText(bytes, `windows-${page}`) ?? bytes.toString('latin1'))
  }
  const write = (text: string): void => {
    if (now.kind === 'instruction') instruction = (instruction + text).slice(0, LINK_MAX)
    else if (now.kind === 'none' || now.kind === 'fonts' || now.isForRtf) return
    else out.push(text)
  }
  const close = (): void => {
    if (now.kind === 'field' && !isHtml) {
      const link = /HYPERLINK\s{1,5}"(https?:[^"\s]{1,1500})"/.exec(instruction)?.[1]
      instruction = ''
      if (
        link &&
        !out
          .slice(Math.max(now.textFrom, out.length - SHOWN_MAX))
          .join('')
          .includes(link)
      )
        write(` <${link}>`)
    }
    now = groups.pop() ?? now
  }
  const obey = (word: string, number: number | undefined): void => {
    const isDestination = isOptional
    isOptional = false
    if (word === 'fromhtml') isHtml = number !== 0
    else if (word === 'ansicpg' && number) codePage = number
    else if (word === 'uc') now.standIns = Math.max(0, Math.min(number ?? 1, 10))
    else if (word === 'htmlrtf') now.isForRtf = isHtml && number !== 0
    else if (word === 'f') now.font = number ?? -1
    else if (word === 'plain') now.font = -1
    else if (word === 'fonttbl') now.kind = 'fonts'
    else if (word === 'fcharset' && now.kind === 'fonts') {
      const page = CODE_PAGES[number ?? 0]
      if (page && fonts.size < FONTS_MAX) fonts.set(now.font, page)
    } else if (now.kind === 'none' || now.kind === 'fonts') return
    else if (word === 'fldinst') now.kind = 'instruction'
    else if (word === 'fldrslt') now = { ...now, kind: 'field', textFrom: out.length }
    else if (word === 'htmltag' && isDestination) now.kind = 'tag'
    else if (isDestination || NO_TEXT.has(word)) now.kind = 'none'
    else if (word === 'u' && number !== undefined) {
      write(String.fromCharCode(number & 0xffff))
      skipped = now.standIns
    } else write(SYMBOLS[word] ?? '')
  }
  for (const token of tokensOf(rtf)) {
    if (token.kind === 'byte' && skipped > 0) skipped--
    else if (token.kind === 'byte') pending.push(token.byte)
    else {
      flush()
      if (token.kind !== 'text') skipped = 0
      if (token.kind === 'open') {
        if (groups.length >= DEPTH_MAX) break
        isOptional = false
        groups.push(now)
        now = { ...now, kind: now.kind === 'field' ? 'text' : now.kind }
      } else if (token.kind === 'close') close()
      else if (token.kind === 'optional') isOptional = true
      else if (token.kind === 'word') obey(token.word, token.number)
      else if (skipped > 0 && token.text !== '') skipped--
      else write(token.text)
    }
  }
  flush()
  const all = out.join('').toWellFormed()
  return isHtml ? { text: '', html: all } : { text: all, html: '' }
}
