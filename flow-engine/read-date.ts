// Days as people write them: 2026-11-23, 23.11., 23/11/26, 23 November, Nov 23, tomorrow, Monday.
import { wordsIn } from './built-in-texts.ts'
import { DAY_MS } from './duration.ts'
import { foldText, normalizeDigits } from './fold-text.ts'
import { toLocale } from './language.ts'
import { type CalendarDate, formatDate, readDate, toDate } from './read-values.ts'
import { dateAt, dateOf } from './zone-time.ts'

export type DateContext = { language: string; timeZone: string; now: number }

const TEXT_MAX = 60
/** A day without a year is the next one there is; 29 February may be eight years away. */
const YEARS_AHEAD_MAX = 8

/** The day as 2026-11-23; undefined for what is no day, such as 31.02. */
export const readDateAnswer = (text: string, context: DateContext): string | undefined => {
  if (text.length > TEXT_MAX) return undefined
  const plain = normalizeDigits(text).trim()
  const iso = readDate(plain)
  if (iso) return formatDate(iso)
  const date =
    readNear(foldText(text), context) ?? readNumeric(plain, context) ?? readNamed(foldText(text), context)
  return date && formatDate(date)
}

/** Today, tomorrow, or the next day of that name. */
const readNear = (folded: string, { language, timeZone, now }: DateContext): CalendarDate | undefined => {
  const { year, month, day } = dateAt(now, timeZone)
  const inDays = (days: number) => dateOf(Date.UTC(year, month - 1, day) + days * DAY_MS)
  const isWord = (kind: 'today' | 'tomorrow', inLanguage: string) =>
    wordsIn(kind, inLanguage).some((word) => foldText(word) === folded)
  for (const one of [language, 'en']) {
    if (isWord('today', one)) return inDays(0)
    if (isWord('tomorrow', one)) return inDays(1)
    const format = new Intl.DateTimeFormat(toLocale(one), { weekday: 'long', timeZone: 'UTC' })
    for (let days = 1; days <= 7; days++) {
      const date = inDays(days)
      const name = foldText(format.format(Date.UTC(date.year, date.month - 1, date.day)))
      if (folded === name) return date
    }
  }
  return undefined
}

const NUMERIC = /^(\d{1,2})[./-](\d{1,2})(?:[./-](\d{4}|\d{2})?)?$/

/** Month first only where people write it so. */
const MONTH_FIRST = /^en-(us|ph)\b/i
/** 2026年11月23日 and 11月23日. */
const CJK = /^(?:(\d{4})[年년] ?)?(\d{1,2})[月월] ?(\d{1,2})[日일号]?$/u

const readNumeric = (plain: string, context: DateContext): CalendarDate | undefined => {
  const compact = plain.replace(/\s/g, '')
  const cjk = CJK.exec(compact)
  if (cjk) return withYear(cjk[1], Number(cjk[2]), Number(cjk[3]), context)
  const [, first, second, year] = NUMERIC.exec(compact) ?? []
  if (!first || !second) return undefined
  const isMonthFirst = MONTH_FIRST.test(context.language)
  const [day, month] = isMonthFirst ? [second, first] : [first, second]
  return withYear(year, Number(month), Number(day), context)
}

/** A month's name with a day, in any order, and perhaps a year. */
const readNamed = (folded: string, context: DateContext): CalendarDate | undefined => {
  const words = folded.split(' ')
  const month = words.map((word) => findMonth(word, context.language)).find((one) => one !== undefined)
  const numbers = words
    .map((word) => /^(\d{1,4})(?:st|nd|rd|th|er|e|º)?$/.exec(word)?.[1])
    .filter((one) => one !== undefined)
  const day = numbers.find((one) => one.length <= 2)
  const year = numbers.find((one) => one.length === 4)
  return month && day ? withYear(year, month, Number(day), context) : undefined
}

const months = new Map<string, string[][]>()

/** 1 to 12, from its whole name or at least three letters of it. */
const findMonth = (word: string, language: string): number | undefined => {
  if (word.length < 3 || /\d/.test(word)) return undefined
  for (const names of [monthNames(language), monthNames('en')]) {
    const at = names.findIndex((spellings) => spellings.some((name) => name.startsWith(word)))
    if (at >= 0) return at + 1
  }
  return undefined
}

const monthNames = (language: string): string[][] => {
  const locale = toLocale(language)
  const known = months.get(locale)
  if (known) return known
  const formats = (['long', 'short'] as const).flatMap((month) => [
    new Intl.DateTimeFormat(locale, { month, timeZone: 'UTC' }),
    // Beside a day, some languages write the month in another case: 5 мая.
    new Intl.DateTimeFormat(locale, { month, day: 'numeric', timeZone: 'UTC' }),
  ])
  const names = Array.from({ length: 12 }, (_, month) =>
    formats.map((format) => {
      const part = format.formatToParts(Date.UTC(2026, month, 1)).find(({ type }) => type === 'month')
      return foldText(part?.value ?? '')
    }),
  )
  if (months.size >= 100) months.clear()
  months.set(locale, names)
  return names
}

const withYear = (
  year: string | undefined,
  month: number,
  day: number,
  { timeZone, now }: DateContext,
): CalendarDate | undefined => {
  if (year) return toDate(year.length === 2 ? readShortYear(year) : Number(year), month, day)
  const today = dateAt(now, timeZone)
  for (let ahead = 0; ahead <= YEARS_AHEAD_MAX; ahead++) {
    const date = toDate(today.year + ahead, month, day)
    if (date && formatDate(date) >= formatDate(today)) return date
  }
  return undefined
}

const readShortYear = (year: string): number => Number(year) + (Number(year) < 70 ? 2000 : 1900)
