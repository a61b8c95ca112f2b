const AROUND = new Set('.,;:!?()[]{}"\'“”„‚‘’«»…*_<>`|·•')

/** Words without the punctuation around them. */
export const wordsOf = (text: string): string[] =>
  text
    .split(/\s+/)
    .map(trimMarks)
    .filter((word) => word !== '')

const trimMarks = (word: string): string => {
  let start = 0
  let end = word.length
  while (start < end && AROUND.has(word[start]!)) start++
  while (end > start && AROUND.has(word[end - 1]!)) end--
  return word.slice(start, end)
}
