// Where a search's terms are in a text. Runs on the server, for snippets, and in the console, for threads.
import { plainText } from './plain-text.ts'

/** Start and end of each term, in UTF-16 units; they don't overlap. */
export type Mark = [start: number, end: number]

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
