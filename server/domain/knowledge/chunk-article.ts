// Splits an article into the sections that are searched and quoted: by heading, 120 to 350 words each where the text
// allows it. Pure.
import type { Token, Tokens } from 'marked'

const WORDS_MIN = 120
const WORDS_MAX = 350

/** A section: the headings above it, the article's title first, and its text without markup. */
export type Section = { headings: string[]; text: string }

/** Unicode tags, zero-width and direction controls: they could hide text from the person who reads the article. */
const HIDDEN = /[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu

const countWords = (text: string): number => text.split(/\s+/u).filter(Boolean).length

/** The text of a token; HTML is left out, so that comments and hidden elements are not read. */
const textOf = (token: Token): string => {
  switch (token.type) {
    case 'html':
    case 'def':
      return ''
    case 'br':
    case 'space':
    case 'hr':
      return '\n'
    case 'code':
    case 'codespan':
    case 'escape':
      return token.text
    case 'image':
      return token.text
    case 'list':
      return (token as Tokens.List).items
        .map((item) => `- ${item.tokens.map(textOf).join('\n').trim()}`)
        .join('\n')
    case 'table': {
      const { header, rows } = token as Tokens.Table
      return [header, ...rows]
        .map((cells) => cells.map((cell) => cell.tokens.map(textOf).join('')).join(' | '))
        .join('\n')
    }
    case 'blockquote':
      return (token as Tokens.Blockquote).tokens.map(textOf).join('\n')
    default:
      return 'tokens' in token && token.tokens
        ? token.tokens.map(textOf).join('')
        : 'text' in token
          ? token.text
          : ''
  }
}

const clean = (text: string): string =>
  text
    .replace(HIDDEN, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim()

type Block = { headings: string[]; text: string }

/** The article's paragraphs, each under its headings. */
const blocksOf = (title: string, tokens: readonly Token[]): Block[] => {
  const path: { depth: number; text: string }[] = []
  const blocks: Block[] = []
  for (const token of tokens) {
    const text = clean(textOf(token))
    if (token.type === 'heading') {
      while (path.length > 0 && path.at(-1)!.depth >= (token as Tokens.Heading).depth) path.pop()
      if (text !== '') path.push({ depth: (token as Tokens.Heading).depth, text })
    } else if (text !== '') blocks.push({ headings: [title, ...path.map(({ text }) => text)], text })
  }
  return blocks
}

/** Splits a text that is too long at the end of a line or sentence, or else between words. */
const splitLong = (text: string): string[] => {
  if (countWords(text) <= WORDS_MAX) return [text]
  const pieces = text.split(/(?<=\n|[.!?…。！？]\s|[。！？])/u)
  const fine = pieces.flatMap((piece) => {
    if (countWords(piece) <= WORDS_MAX) return [piece]
    const words = piece.split(/(?<=\s)/u)
    return Array.from({ length: Math.ceil(words.length / WORDS_MAX) }, (_, at) =>
      words.slice(at * WORDS_MAX, (at + 1) * WORDS_MAX).join(''),
    )
  })
  const parts: string[] = []
  let part = ''
  for (const piece of fine) {
    if (part !== '' && countWords(part) + countWords(piece) > WORDS_MAX) {
      parts.push(part.trim())
      part = ''
    }
    part += piece
  }
  return [...parts, part.trim()].filter((one) => one !== '')
}

/** What two lists of headings begin with. */
const shared = (one: readonly string[], other: readonly string[]): string[] => {
  let length = 0
  while (length < one.length && one[length] === other[length]) length++
  return one.slice(0, length)
}

/** A text with the headings that its section doesn't name. */
const under = ({ headings, text }: Block, known: readonly string[]): string =>
  [...headings.slice(known.length), text].join('\n')

/**
 * The sections of an article in markdown, in order. A section ends at a heading if it has 120 words, and before 350
 * words. Short sections are joined with the next, under the headings that they share. A body without text gives one
 * empty section, which is found by the title.
 */
export const chunkArticle = async (title: string, body: string): Promise<Section[]> => {
  const { lexer } = await import('marked')
  const sections: Section[] = []
  let current: Block[] = []
  const wordsOf = (blocks: readonly Block[]) => blocks.reduce((sum, { text }) => sum + countWords(text), 0)
  const finish = () => {
    if (current.length === 0) return
    const headings = current.map(({ headings }) => headings).reduce(shared)
    let last: readonly string[] = headings
    const texts = current.map((block) => {
      const text = under(block, shared(last, block.headings))
      last = block.headings
      return text
    })
    sections.push({ headings, text: texts.join('\n\n') })
    current = []
  }
  const blocks = blocksOf(clean(title), lexer(body)).flatMap(({ headings, text }) =>
    splitLong(text).map((part) => ({ headings, text: part })),
  )
  for (const block of blocks) {
    const isSameSection = current.at(-1)?.headings.join('\n') === block.headings.join('\n')
    const words = wordsOf(current)
    if (words + countWords(block.text) > WORDS_MAX || (!isSameSection && words >= WORDS_MIN)) finish()
    current.push(block)
  }
  finish()
  return sections.length > 0 ? sections : [{ headings: [clean(title)], text: '' }]
}
