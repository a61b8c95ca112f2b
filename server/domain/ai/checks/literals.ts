// The parts of a text that can be right or wrong to the letter: amounts, dates, times, durations, numbers, codes,
// addresses of mail and phone numbers. Each has keys: another text says the same if it has one of them.
import { foldText, normalizeDigits } from '../../../../flow-engine/fold-text.ts'
import { beginsNumber, readDigitWords, readNumberWords } from './number-words.ts'
import { readNumber } from './read-number.ts'
import {
  BETWEEN_NUMBERS,
  CURRENCIES,
  CURRENCY_NAMES,
  DURATIONS,
  HALF,
  MONTHS,
  PERCENT,
  PERCENT_PAIRS,
  SIGNS,
} from './vocabulary.ts'
import { wordsOf } from './words.ts'

export type Literal = {
  kind: 'amount' | 'percent' | 'date' | 'time' | 'duration' | 'number' | 'code' | 'email' | 'phone'
  shown: string
  keys: string[]
}

const PHONE_DIGITS = [7, 15] as const
/** Country codes and leading zeros differ between two ways to write a number. */
const PHONE_KEY = 8
const WORD_MAX = 200

/** `isLoose`: “a week” is read as one week, as a source means it. A reply that says it may mean “each week”. */
type Reading = { words: readonly string[]; folded: readonly string[]; at: number; isLoose: boolean }
/** How many words it takes, and what they are. */
type Found = { length: number; literal: Omit<Literal, 'shown'> } | undefined

export const literalsIn = (text: string, { isLoose = false } = {}): Literal[] =>
  text.split('\n').flatMap((line) => literalsInLine(line, isLoose))

const literalsInLine = (line: string, isLoose: boolean): Literal[] => {
  const given = normalizeDigits(line)
    .toLowerCase()
    .replace(/[‒–—―−~]/g, ' ')
    .replaceAll('٫', '.')
    .replaceAll('٬', ',')
  // The number of a list's item.
  const listed = given.replace(/^\s{0,20}\d{1,2}[.)]\s/, '')
  const words = wordsOf(spaced(listed))
    .filter((word) => word.length <= WORD_MAX)
    .flatMap(endsOf)
  const folded = words.map(foldWord)
  const found: Literal[] = []
  for (let at = 0; at < words.length; ) {
    const one = mayBegin(words[at]!, folded[at]!) ? read({ words, folded, at, isLoose }) : undefined
    if (one) found.push({ ...one.literal, shown: words.slice(at, at + one.length).join(' ') })
    at += one?.length ?? 1
  }
  return found
}

/** Most words are in plain letters, which folding leaves as they are. */
const foldWord = (word: string): string => (/^[a-z0-9]*$/.test(word) ? word : foldText(word))

/** Most words begin nothing of all this. */
const mayBegin = (word: string, folded: string): boolean =>
  !/^[a-z]+$/.test(word) ||
  MONTHS.has(folded) ||
  CURRENCIES.has(folded) ||
  HALF.has(folded) ||
  beginsNumber(folded)

/** Signs become words of their own: 5€, €5 and 5 € are the same. */
const spaced = (line: string): string => line.replace(/[€$£¥₹₺₽%]/g, ' $& ')

/** 3-5 and 9:00-17:00: each end is said by itself. */
const endsOf = (word: string): string[] =>
  /^\d{1,3}-\d{1,3}$|^\d{1,2}[:.]\d\d-\d{1,2}[:.]\d\d$/.test(word) ? word.split('-') : [word]

const READERS: readonly ((reading: Reading) => Found)[] = [
  readEmail,
  readDate,
  readTime,
  readPhone,
  readHalf,
  readAmount,
  readDuration,
  readSpelled,
  readPlainNumber,
  readCode,
]

const read = (reading: Reading): Found => {
  for (const reader of READERS) {
    const found = reader(reading)
    if (found) return found
  }
  return undefined
}

const found = (kind: Literal['kind'], length: number, keys: string[]): Found => ({
  length,
  literal: { kind, keys },
})

function readEmail({ words, at }: Reading): Found {
  const word = words[at]!.replace(/^mailto:/, '')
  return /^[^@\s]+@[^@\s]+$/.test(word) ? found('email', 1, [`email ${word}`]) : undefined
}

const dateKeys = (year: number | null, month: number, day: number): string[] =>
  month >= 1 && month <= 12 && day >= 1 && day <= 31
    ? [`date ${year === null ? '' : year % 100} ${month} ${day}`]
    : []

const numberBefore = (word: string | undefined): number | null => {
  const [, digits] = /^(\d{1,2})(?:st|nd|rd|th|er|º|ª|\.)?$/.exec(word ?? '') ?? []
  return digits === undefined ? null : Number(digits)
}

const yearOf = (word: string | undefined): number | null =>
  /^(19|20)\d\d$/.test(word ?? '') ? Number(word) : null

/** Without keys it is no date of the calendar: its numbers are read on their own. */
const foundDate = (length: number, keys: string[]): Found =>
  keys.length > 0 ? found('date', length, keys) : undefined

function readDate({ words, folded, at }: Reading): Found {
  const word = words[at]!
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:t.*)?$/.exec(word)
  if (iso) return foundDate(1, dateKeys(Number(iso[1]), Number(iso[2]), Number(iso[3])))
  const numeric = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d\d)$/.exec(word)
  if (numeric) {
    const [first, second, year] = [numeric[1], numeric[3], numeric[4]].map(Number) as [number, number, number]
    const keys = [...dateKeys(year, second, first), ...dateKeys(year, first, second)]
    const date = foundDate(1, keys)
    if (date) return date
  }
  // 14 March 2027, 14. März, 14 de marzo de 2027; March 14, 2027.
  const day = numberBefore(word)
  const skipOf = (from: number): number => (words[from] === 'de' || words[from] === 'of' ? from + 1 : from)
  if (day !== null) {
    const monthAt = skipOf(at + 1)
    const month = MONTHS.get(folded[monthAt] ?? '')
    if (month === undefined) return undefined
    const yearAt = skipOf(monthAt + 1)
    const year = yearOf(words[yearAt])
    return foundDate((year === null ? monthAt : yearAt) - at + 1, dateKeys(year, month, day))
  }
  const month = MONTHS.get(folded[at]!)
  const next = numberBefore(words[at + 1])
  if (month === undefined || next === null) return undefined
  const year = yearOf(words[at + 2])
  return foundDate(year === null ? 2 : 3, dateKeys(year, month, next))
}

function readTime({ words, at }: Reading): Found {
  const match = /^(\d{1,2})(?:[:h](\d\d))?(am|pm|a\.m|p\.m|h|uhr)?$/.exec(words[at]!)
  if (!match) return undefined
  const [, hour, minute, attached] = match
  const next = (words[at + 1] ?? '').replaceAll('.', '')
  const half = (attached ?? next).replaceAll('.', '')
  const isNamed = ['am', 'pm', 'uhr'].includes(half) || attached === 'h'
  if ((minute === undefined && !isNamed) || Number(hour) > 24 || Number(minute ?? 0) > 59) return undefined
  const length = attached === undefined && isNamed ? 2 : 1
  const at24 = (Number(hour) % 12) + (half === 'pm' ? 12 : 0)
  const hours = half === 'am' || half === 'pm' ? at24 : Number(hour)
  return found('time', length, [`time ${hours * 60 + Number(minute ?? 0)}`])
}

/** In groups, or with a plus or zero in front. */
function readPhone({ words, at }: Reading): Found {
  let length = 0
  let digits = ''
  while (at + length < words.length && /^\+?[\d()/.-]{1,20}$/.test(words[at + length]!)) {
    const more = words[at + length]!.replace(/\D/g, '')
    if (digits.length + more.length > PHONE_DIGITS[1]) break
    digits += more
    length++
  }
  const first = words[at]!
  const isMarked = /^[+(0]/.test(first) || /^\d{2,4}[-/]\d{3,4}-?\d{2,}/.test(first)
  if (digits.length < PHONE_DIGITS[0] || !isMarked) return undefined
  return found('phone', length, [`phone ${digits.slice(-PHONE_KEY)}`])
}

const currencyOf = (word: string | undefined, folded: string | undefined): string | undefined =>
  word === undefined ? undefined : (SIGNS.get(word) ?? CURRENCIES.get(folded!))

type Value = { values: number[]; length: number; isWords: boolean }

/** In digits or words. “One” is an article as well, so it only counts before some units. */
const valueAt = ({ words, folded }: Reading, at: number, mayBeArticle: boolean): Value | undefined => {
  const values = readNumber(words[at] ?? '')
  if (values.length > 0) return { values, length: 1, isWords: false }
  const number = readNumberWords(folded, at)
  return number && (mayBeArticle || !number.isArticle)
    ? { values: [number.value], length: number.length, isWords: true }
    : undefined
}

function readAmount(reading: Reading): Found {
  const { words, folded, at } = reading
  const before = currencyOf(words[at], folded[at])
  const numberAt = before === undefined ? at : at + 1
  const value = valueAt(reading, numberAt, before === undefined)
  if (!value || (before !== undefined && value.isWords)) return undefined
  const unitAt = numberAt + value.length
  // “One try” is no lira.
  const after =
    value.isWords && !CURRENCY_NAMES.has(folded[unitAt] ?? '')
      ? undefined
      : currencyOf(words[unitAt], folded[unitAt])
  const currency = before ?? after
  if (currency !== undefined)
    return found(
      'amount',
      value.length + 1,
      value.values.map((one) => `amount ${one} ${currency}`),
    )
  const isPair = PERCENT_PAIRS.has(`${folded[unitAt]} ${folded[unitAt + 1]}`)
  return PERCENT.has(folded[unitAt] ?? '') || words[unitAt] === '%' || isPair
    ? found(
        'percent',
        value.length + (isPair ? 2 : 1),
        value.values.map((one) => `percent number ${one}`),
      )
    : undefined
}

/** Half price is 50 %. */
function readHalf({ folded, at }: Reading): Found {
  const nexts = HALF.get(folded[at]!) ?? []
  const next = nexts.find(
    (words) => folded.slice(at + 1, at + 1 + words.length).join(' ') === words.join(' '),
  )
  return next && found('percent', 1 + next.length, ['percent number 50'])
}

/** Two weeks are 14 days. Of “2 to 4 days”, the first is read like the second, or as a number. */
function readDuration(reading: Reading): Found {
  const { words, folded, at, isLoose } = reading
  const [, digits, attached] = /^(\d{1,6})-(\p{L}+)$/u.exec(words[at]!) ?? []
  if (digits !== undefined) {
    const unit = DURATIONS.get(foldText(attached!))
    return unit && found('duration', 1, [durationKey(Number(digits), unit)])
  }
  const value = valueAt(reading, at, isLoose)
  if (!value) return undefined
  const [number] = value.values as [number]
  const own = unitAt(folded, at + value.length)
  if (own) return found('duration', value.length + own.length, [durationKey(number, own.unit)])
  const between = at + value.length
  const second = BETWEEN_NUMBERS.has(folded[between] ?? '') ? valueAt(reading, between + 1, false) : undefined
  const shared = second && unitAt(folded, between + 1 + second.length)
  return shared && found('duration', value.length, [durationKey(number, shared.unit), `number ${number}`])
}

type Unit = { hours: number } | { months: number }

const durationKey = (value: number, unit: Unit): string =>
  'hours' in unit ? `hours ${value * unit.hours}` : `months ${value * unit.months}`

const KINDS_OF_DAYS = new Set(['business', 'working', 'full', 'calendar'])

const unitAt = (folded: readonly string[], at: number): { unit: Unit; length: number } | undefined => {
  const isBetween = KINDS_OF_DAYS.has(folded[at] ?? '')
  const unit = DURATIONS.get(folded[isBetween ? at + 1 : at] ?? '')
  return unit && { unit, length: isBetween ? 2 : 1 }
}

/** “Four two four two” */
function readSpelled({ folded, at }: Reading): Found {
  const spelled = readDigitWords(folded, at)
  if (!spelled) return undefined
  const { digits, length } = spelled
  return digits.length >= PHONE_DIGITS[0]
    ? found('phone', length, [`phone ${digits.slice(-PHONE_KEY)}`])
    : found('number', length, [`number ${Number(digits)}`, `code ${digits}`])
}

function readPlainNumber({ words, at }: Reading): Found {
  const word = words[at]!.replace(/^(?:#|nr\.?|no\.?)(?=\d)/, '').replace(
    /(?<=^\d{1,6})(st|nd|rd|th|er|e|º|ª|x)$/,
    '',
  )
  const values = readNumber(word.replace(/^[+-]/, ''))
  return values.length === 0
    ? undefined
    : found(
        'number',
        1,
        values.map((value) => `number ${value}`),
      )
}

/** Letters and digits: an order, an article, a voucher. */
function readCode({ words, at }: Reading): Found {
  const code = words[at]!.replace(/[^\p{L}\p{N}]/gu, '')
  const isCode = /\d/.test(code) && /\p{L}/u.test(code) && code.length >= 3 && !words[at]!.includes('://')
  return isCode && !/\.[a-z]{2,}($|[/?#])/.test(words[at]!) ? found('code', 1, [`code ${code}`]) : undefined
}
