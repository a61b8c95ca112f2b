// How text becomes what the index compares: folded words, which PostgreSQL stems, and character trigrams. Stored text
// and queries go through the same functions.
import { foldText } from '../search/search-text.ts'

/** Longer words are cut: nobody types them, and an index row has a bound. */
const WORD_MAX = 64
const GRAM_LENGTH = 3

/** Scripts that don't put spaces between words: a run of them is compared by pairs of characters. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u
const RUNS =
  /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{M}ー]+|[\p{L}\p{M}\p{N}]+/gu
/** Accents, Arabic and Hebrew vowel signs, and characters that can't be seen. */
const LATIN_MARKS = /([\p{sc=Latn}\p{sc=Grek}])\p{M}+/gu
const OPTIONAL_MARKS = /[\u064b-\u065f\u0670\u0640\u0591-\u05c7]|\p{Cf}/gu

const foldWords = (text: string): string[] => {
  const folded = foldText(text)
    .normalize('NFD')
    .replace(LATIN_MARKS, '$1')
    .replace(OPTIONAL_MARKS, '')
    .normalize('NFC')
  return folded.match(RUNS) ?? []
}

const isUnspaced = (word: string): boolean => UNSPACED.test(word)

const cut = (word: string): string => (word.length <= WORD_MAX ? word : [...word].slice(0, WORD_MAX).join(''))

/** The words of a text, folded and separated by spaces, for the stemmer; without those of unspaced scripts. */
export const wordsOf = (text: string): string =>
  foldWords(text)
    .filter((word) => !isUnspaced(word))
    .map(cut)
    .join(' ')

const SURROGATE = /[\ud800-\udfff]/

/** All runs of `length` characters; the whole text if it is shorter. */
const sliceCharacters = (text: string, length: number): string[] => {
  const characters = [...text]
  return Array.from({ length: Math.max(1, characters.length - length + 1) }, (_, at) =>
    characters.slice(at, at + length).join(''),
  )
}

/** The same for text in which each character is one unit: four times faster, and nearly all text is. */
const sliceUnits = (text: string, length: number): string[] => {
  const runs = [text.slice(0, length)]
  for (let at = 1; at + length <= text.length; at++) runs.push(text.slice(at, at + length))
  return runs
}

export type Grams = Map<string, number>

/** The trigrams of a text's words with a space on either side, or the pairs of unspaced scripts, with their counts. */
export const gramsOf = (text: string, { isUnspacedOnly = false } = {}): Grams => {
  const grams: Grams = new Map()
  for (const word of foldWords(text)) {
    const unspaced = isUnspaced(word)
    if (isUnspacedOnly && !unspaced) continue
    const padded = unspaced ? word : ` ${cut(word)} `
    const length = unspaced ? GRAM_LENGTH - 1 : GRAM_LENGTH
    for (const gram of SURROGATE.test(padded) ? sliceCharacters(padded, length) : sliceUnits(padded, length))
      grams.set(gram, (grams.get(gram) ?? 0) + 1)
  }
  return grams
}

export const addGrams = (into: Grams, more: Grams): void => {
  for (const [gram, count] of more) into.set(gram, (into.get(gram) ?? 0) + count)
}
