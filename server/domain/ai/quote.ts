// Which sentences of a source a reply is closest to, by the words that they share.
import { foldText } from '../../../flow-engine/fold-text.ts'
import { wordsOf } from './checks/words.ts'

export const QUOTE_MAX = 400
/** Of a source; what is longer isn't compared to its end. */
const SENTENCES_MAX = 200
/** Words shared by chance are short ones. */
const WORD_MIN = 3
/** A second sentence is quoted too if it shares at least this part of what the best one does. */
const ALSO = 0.6
const SENTENCE_ENDS = /(?<=[.!?。！？])\s+|\n+/

const wordSet = (text: string): Set<string> =>
  new Set(wordsOf(foldText(text)).filter((word) => word.length >= WORD_MIN))

/** A reply without words in common has no better quote than the beginning. */
export const quoteOf = (source: string, reply: string): string => {
  const said = wordSet(reply)
  const sentences = source
    .split(SENTENCE_ENDS)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '')
    .slice(0, SENTENCES_MAX)
    .map((text) => ({ text, shared: [...wordSet(text)].filter((word) => said.has(word)).length }))
  const best = Math.max(0, ...sentences.map(({ shared }) => shared))
  const quoted = best === 0 ? sentences : sentences.filter(({ shared }) => shared >= best * ALSO)
  return fit(quoted.map(({ text }) => text))
}

/** Whole sentences as far as they fit. */
const fit = ([first = '', ...rest]: readonly string[]): string => {
  let quote = first.length > QUOTE_MAX ? `${first.slice(0, QUOTE_MAX - 1)}…` : first
  for (const sentence of rest) {
    if (quote.length + sentence.length + 1 > QUOTE_MAX) break
    quote += ` ${sentence}`
  }
  return quote
}
