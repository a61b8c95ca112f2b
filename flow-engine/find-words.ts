// Which of many words a text has, in a time that doesn't grow with their number: 200 flows may have 50 words each.

/** Of the hashes; odd, so that no unit of a word is lost. */
const BASE = 0x01000193

/** Words of one length by the hash of their units. */
type OfLength = { length: number; highest: number; byHash: ReadonlyMap<number, readonly string[]> }

/**
 * Prepares a search for words. It reads a text once for each length that words have (Rabin-Karp); only where a hash
 * matches are the word and the text compared.
 */
export const prepareWords = (words: Iterable<string>): ((text: string) => ReadonlySet<string>) => {
  const byLength = Map.groupBy(new Set(words), ({ length }) => length)
  const groups = [...byLength].map(([length, own]): OfLength => {
    let highest = 1
    for (let at = 1; at < length; at++) highest = Math.imul(highest, BASE)
    return { length, highest, byHash: Map.groupBy(own, (word) => hashOf(word, length)) }
  })
  return (text) => {
    const found = new Set<string>()
    for (const group of groups) findOfLength(text, group, found)
    return found
  }
}

const hashOf = (text: string, length: number): number => {
  let hash = 0
  for (let at = 0; at < length; at++) hash = (Math.imul(hash, BASE) + text.charCodeAt(at)) | 0
  return hash
}

const findOfLength = (text: string, { length, highest, byHash }: OfLength, found: Set<string>): void => {
  if (text.length < length) return
  let hash = hashOf(text, length)
  for (let at = 0; ; at++) {
    const candidates = byHash.get(hash)
    if (candidates)
      for (const word of candidates) if (!found.has(word) && text.startsWith(word, at)) found.add(word)
    if (at + length >= text.length) return
    const without = hash - Math.imul(text.charCodeAt(at), highest)
    hash = (Math.imul(without, BASE) + text.charCodeAt(at + length)) | 0
  }
}
