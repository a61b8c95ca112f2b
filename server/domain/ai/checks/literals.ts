// The parts of a text that can be right or wrong to the letter: amounts, dates, times, durations, numbers, codes,
// addresses of mail and phone numbers. Each has keys: another text says the same if it has one of them.
import { foldText, normalizeDigits } from '../../../../flow-engine/fold-text.ts'
import { readNumber } from './read-number.ts'
import { CURRENCIES, DURATIONS, MONTHS, NUMBER_WORDS, PERCENT, SIGNS } from './vocabulary.ts'
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

type Reading = { words: readonly string[]; at: number }
/** How many words it takes, and what they are. */
type Found = { length: number; literal: Omit<Literal, 'shown'> } | undefined

export const literalsIn = (text: string): Literal[] => text.split('\n').flatMap(literalsInLine)

const literalsInLine = (line: string): Literal[] => {
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
  const found: Literal[] = []
  for (let at = 0; at < words.length; ) {
    const one = read({ words, at })
    if (one) found.push({ ...one.literal, shown: words.slice(at, at + one.length).join(' ') })
    at += one?.length ?? 1
  }
  return found
}

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
  readAmount,
  readDuration,
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

function readDate({ words, at }: Reading): Found {
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
    const month = MONTHS.get(foldText(words[monthAt] ?? ''))
    if (month === undefined) return undefined
    const yearAt = skipOf(monthAt + 1)
    const year = yearOf(words[yearAt])
    return foundDate((year === null ? monthAt : yearAt) - at + 1, dateKeys(year, month, day))
  }
  const month = MONTHS.get(foldText(word))
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

const currencyOf = (word: string | undefined): string | undefined =>
  word === undefined ? undefined : (SIGNS.get(word) ?? CURRENCIES.get(foldText(word)))

function readAmount({ words, at }: Reading): Found {
  const before = currencyOf(words[at])
  const [numberAt, currency] = before === undefined ? [at, currencyOf(words[at + 1])] : [at + 1, before]
  const values = readNumber(words[numberAt] ?? '')
  if (values.length === 0) return undefined
  const numbers = values.map((value) => `number ${value}`)
  if (currency !== undefined)
    return found(
      'amount',
      2,
      values.map((value) => `amount ${value} ${currency}`),
    )
  return PERCENT.has(words[numberAt + 1] ?? '')
    ? found(
        'percent',
        2,
        numbers.map((key) => `percent ${key}`),
      )
    : undefined
}

/** Two weeks are 14 days. */
function readDuration({ words, at }: Reading): Found {
  const [, digits, attached] = /^(\d{1,6})-(\p{L}+)$/u.exec(words[at]!) ?? []
  const value =
    digits === undefined
      ? (readNumber(words[at]!)[0] ?? NUMBER_WORDS.get(foldText(words[at]!)))
      : Number(digits)
  const isBetween = ['business', 'working', 'full', 'calendar'].includes(words[at + 1] ?? '')
  const unit = DURATIONS.get(foldText(attached ?? words[at + (isBetween ? 2 : 1)] ?? ''))
  if (value === undefined || unit === undefined) return undefined
  const length = attached === undefined ? (isBetween ? 3 : 2) : 1
  return found('duration', length, [
    'hours' in unit ? `hours ${value * unit.hours}` : `months ${value * unit.months}`,
  ])
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
