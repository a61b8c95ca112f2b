// What someone typed into the console's search, as the terms that must all occur. Words are found anywhere, in any
// order; one or two letters only where a word begins, because they are in nearly every text. A phone number is found in
// any notation, and text between quotation marks as it is.
import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { plainText } from '../../../marks/plain-text.ts'
import { searchedDigits } from './phone-spellings.ts'

/** Further words would not narrow a search noticeably, and each is compared with every candidate. */
const TERMS_MAX = 8
const TERM_MAX = 64
const SHORT_MAX = 2

export type SearchTerm = {
  /** Patterns for ILIKE: as typed, and what else an index can look up (null: nothing). */
  typed: string
  other: string | null
  /** A pattern for texts without case and accents. */
  plain: string
  /** A regular expression, the same in PostgreSQL and JavaScript but for `\m`, that decides instead of the patterns. */
  expression: string | null
  /** What to mark in a text without case and accents. */
  marked: RegExp
  /** Whether a trigram index can look it up. */
  hasTrigram: boolean
}

/** With limits, so that a long query of digits or quotation marks is read in one pass. */
const PARTS = /"([^"]{1,200})"|([+(]{0,3}\d[\d\s()./-]{0,40}\d)(?=\s|$)|(\S+)/gu
/** Three letters or digits, or fewer at the edge of a word inside the term. */
const HAS_TRIGRAM = /[\p{L}\p{N}]{3}|[^\p{L}\p{N}][\p{L}\p{N}]|[\p{L}\p{N}]{2}[^\p{L}\p{N}]/u
const BETWEEN_DIGITS = '[\\s()./-]{0,3}'
const NUMBER_MIN = 7
const NUMBER_MAX = 17
const PREFIXED_MIN = 3

const escapePattern = (text: string): string => text.replaceAll(/[\\%_]/g, '\\$&')
const escapeExpression = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
const containing = (text: string): string => `%${escapePattern(text)}%`
const markOf = (expression: string): RegExp => new RegExp(expression, 'gu')

const isNumber = (text: string): boolean => {
  const { length } = text.replaceAll(/\D/g, '')
  return length >= (/^[+(]*[+0]/.test(text) ? PREFIXED_MIN : NUMBER_MIN) && length <= NUMBER_MAX
}

/** The digits that a text with this number contains: as typed, as dialed from abroad, and without any prefix. */
const digitsOf = (text: string): string[] => {
  const parsed = parsePhoneNumberFromString(text.replace(/^00/, '+'), { extract: false })
  const bare = text.replaceAll(/\D/g, '').replace(/^0+/, '')
  const all = new Set([...searchedDigits(text), ...(parsed ? [parsed.nationalNumber] : []), bare])
  const kept = [...all].filter(({ length }) => length >= PREFIXED_MIN)
  // A longer one is found where the shorter one in it is.
  return kept.filter((one) => !kept.some((other) => other !== one && one.includes(other)))
}

const numberTerm = (text: string): SearchTerm => {
  const groups = text.split(/\D+/).filter(Boolean)
  const digits = digitsOf(text)
  const expression = digits.map((one) => [...one].join(BETWEEN_DIGITS)).join('|')
  const [shortest = groups.join('')] = digits
  return {
    typed: `%${groups.join('%')}%`,
    other: containing(shortest),
    plain: containing(shortest),
    expression,
    marked: markOf(expression),
    hasTrigram: HAS_TRIGRAM.test(groups.join(' ')) && shortest.length >= PREFIXED_MIN,
  }
}

const wordTerm = (word: string): SearchTerm => {
  const lower = word.toLowerCase()
  const plain = plainText(word)
  const isShort = plain.length <= SHORT_MAX && /^[a-z0-9]+$/.test(plain)
  const escaped = escapeExpression(plain)
  return {
    typed: containing(lower),
    other: plain === lower ? null : containing(plain),
    plain: containing(plain),
    expression: isShort ? `\\m${escaped}` : null,
    marked: markOf(isShort ? `(?<![\\p{L}\\p{N}_])${escaped}` : escaped),
    hasTrigram: HAS_TRIGRAM.test(lower),
  }
}

/** NUL and halves of characters are nothing that PostgreSQL could store. Empty if there is nothing to search for. */
export const readTerms = (q: string): SearchTerm[] => {
  const text = q
    .toWellFormed()
    .replaceAll(/[\0\ufffd]/g, ' ')
    .normalize('NFC')
  const terms = new Map<string, SearchTerm>()
  for (const [, quoted, number, word] of text.matchAll(PARTS)) {
    for (const part of number !== undefined && isNumber(number) ? [number] : partsOf(quoted, number, word)) {
      if (terms.size === TERMS_MAX) break
      const cut = Array.from(part.trim()).slice(0, TERM_MAX).join('')
      if (cut !== '' && !terms.has(cut)) terms.set(cut, part === number ? numberTerm(cut) : wordTerm(cut))
    }
  }
  const all = [...terms]
  // Signs between words are not searched for.
  const words = all.filter(([text]) => /[\p{L}\p{N}\p{S}]/u.test(text))
  return (words.length > 0 ? words : all).map(([, term]) => term)
}

const partsOf = (...parts: (string | undefined)[]): string[] => {
  const [quoted, number, word] = parts
  return quoted !== undefined ? [quoted] : number !== undefined ? number.split(/\s+/) : [word ?? '']
}
