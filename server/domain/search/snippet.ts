// The part of a text that shows why it was found, and where in it the terms are.
import { plainText } from './plain-text.ts'

const BEFORE = 40
const LENGTH = 160

/** Start and end of each term, in UTF-16 units; they don't overlap. */
export type Mark = [start: number, end: number]
export type Snippet = { text: string; marks: Mark[] }

/** The plain text, and for each of its units where the character that it comes from begins and ends. */
const plainOf = (text: string) => {
  let plain = ''
  const from: number[] = []
  const to: number[] = []
  let at = 0
  for (const character of text) {
    const part = plainText(character)
    plain += part
    for (let n = 0; n < part.length; n++) {
      from.push(at)
      to.push(at + character.length)
    }
    at += character.length
  }
  return { plain, from, to }
}

/** Where the expressions match the text without case and accents. */
export const findMarks = (text: string, expressions: readonly RegExp[]): Mark[] => {
  const { plain, from, to } = plainOf(text)
  const found = expressions.flatMap((expression) =>
    [...plain.matchAll(expression)].map(
      ({ index, 0: { length } }): Mark => [from[index] ?? 0, to[index + length - 1] ?? 0],
    ),
  )
  const marks: Mark[] = []
  for (const [start, end] of found.sort((a, b) => a[0] - b[0])) {
    const last = marks.at(-1)
    if (last && start <= last[1]) last[1] = Math.max(last[1], end)
    else if (end > start) marks.push([start, end])
  }
  return marks
}

/** Not within a surrogate pair, and if a word begins nearby, there. */
const startBefore = (text: string, at: number): number => {
  const earliest = at - BEFORE
  if (earliest <= 0) return 0
  const space = text.slice(earliest, at).search(/\s/)
  const start = space === -1 ? earliest : earliest + space + 1
  return /[\udc00-\udfff]/.test(text[start]!) ? start + 1 : start
}

/** Line breaks become spaces. Text that was left out before or after shows as an ellipsis. */
export const makeSnippet = (text: string, expressions: readonly RegExp[]): Snippet => {
  const line = text.replaceAll(/\s/g, ' ')
  const marks = findMarks(line, expressions)
  const start = startBefore(line, marks[0]?.[0] ?? 0)
  const cut = line.slice(start, start + LENGTH).replace(/[\ud800-\udbff]$/, '')
  const end = start + cut.length
  const prefix = start > 0 ? '…' : ''
  const by = prefix.length - start
  return {
    text: `${prefix}${cut}${end < line.length ? '…' : ''}`,
    marks: marks.flatMap(([from, to]): Mark[] => (from < end ? [[from + by, Math.min(to, end) + by]] : [])),
  }
}
