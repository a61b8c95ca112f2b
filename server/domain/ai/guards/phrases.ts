// Set phrases in a text: whole words in a row, in any spelling that folding makes equal.
import { FOLDED_MAX, foldText, wordPattern } from '../../../../flow-engine/fold-text.ts'

/** Of a text, in pieces of what folding takes. */
const PIECES_MAX = 3

/** Phrases separated by `|`, folded. */
export const phrasesOf = (phrases: string): string[] =>
  phrases
    .split('|')
    .map(foldText)
    .filter((phrase) => phrase !== '')

/** A function that finds the first of the phrases that a text has. Prepared once, since every message is looked at. */
export const phraseFinder = (phrases: string): ((text: string) => string | undefined) => {
  const patterns = phrasesOf(phrases).map((phrase) => [phrase, wordPattern(phrase)] as const)
  return (text) => {
    const folded = foldedPieces(text)
    return patterns.find(([, pattern]) => folded.some((piece) => piece.includes(pattern)))?.[0]
  }
}

/** With a space at both ends. */
export const foldedPieces = (text: string): string[] => {
  const pieces: string[] = []
  for (let at = 0; at < text.length && pieces.length < PIECES_MAX; at += FOLDED_MAX)
    pieces.push(` ${foldText(text.slice(at, at + FOLDED_MAX))} `)
  return pieces
}
