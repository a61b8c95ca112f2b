// Finds what the server or the flow engine wrote in English among the texts of a catalogue in said/: by the English text,
// with {0} for a value, and [0] for a part that has a text of its own. Without regular expressions, since texts may be long.

/** A language's texts by the English ones. */
export type SaidCatalogue = Readonly<Record<string, string>>

type Piece = string | { at: number; isText: boolean }
type Template = { pieces: Piece[]; fixedLength: number; translation: Piece[] }

/** A part may be within a part: "Step s1: …, because …". */
const DEPTH_MAX = 3
const PLACE = /(\{\d\}|\[\d\])/

export const piecesOfSaid = (text: string): Piece[] =>
  text
    .split(PLACE)
    .map((piece, index) =>
      index % 2 === 0 ? piece : { at: Number(piece[1]), isText: piece.startsWith('[') },
    )

const lengthOf = (pieces: readonly Piece[]): number =>
  pieces.reduce((sum, piece) => sum + (typeof piece === 'string' ? piece.length : 0), 0)

/** Those that say most come first: "{0} is away, [1]" before "{0} is away". */
const templatesOf = (catalogue: SaidCatalogue): Template[] =>
  Object.entries(catalogue)
    .map(([english, translation]) => ({
      pieces: piecesOfSaid(english),
      translation: piecesOfSaid(translation),
    }))
    .filter(({ pieces }) => pieces.length > 1)
    .map((template) => ({ ...template, fixedLength: lengthOf(template.pieces) }))
    .sort((one, other) => other.fixedLength - one.fixedLength)

/** The values between a template's fixed texts; undefined if the text isn't one of its. */
const valuesIn = (text: string, pieces: readonly Piece[]): string[] | undefined => {
  const fixed = pieces.filter((piece) => typeof piece === 'string')
  const first = fixed[0]!
  const last = fixed.at(-1)!
  if (!text.startsWith(first) || !text.endsWith(last)) return undefined
  const end = text.length - last.length
  const values: string[] = []
  let at = first.length
  for (const piece of fixed.slice(1, -1)) {
    const found = text.indexOf(piece, at)
    if (found < 0) return undefined
    values.push(text.slice(at, found))
    at = found + piece.length
  }
  if (at >= end) return undefined
  values.push(text.slice(at, end))
  return values.includes('') ? undefined : values
}

/** A function that says an English text in the catalogue's language; undefined where it has none for all of it. */
export const sayIn = (catalogue: SaidCatalogue): ((english: string) => string | undefined) => {
  const templates = templatesOf(catalogue)
  const say = (english: string, depth = 0): string | undefined => {
    if (Object.hasOwn(catalogue, english)) return catalogue[english]
    if (depth >= DEPTH_MAX) return undefined
    for (const { pieces, translation } of templates) {
      const values = valuesIn(english, pieces)
      const said = values && fill(translation, values, depth)
      if (said !== undefined) return said
    }
    return undefined
  }
  const fill = (translation: readonly Piece[], values: readonly string[], depth: number) => {
    let filled = ''
    for (const piece of translation) {
      const part =
        typeof piece === 'string'
          ? piece
          : piece.isText
            ? sayPart(values[piece.at]!, depth + 1)
            : values[piece.at]
      if (part === undefined) return undefined
      filled += part
    }
    return filled
  }
  /** Within a sentence it may begin with a small letter. */
  const sayPart = (part: string, depth: number): string | undefined =>
    say(part, depth) ?? say(part.charAt(0).toUpperCase() + part.slice(1), depth)
  return (english) => say(english)
}
