// Numbers and moments as people and programs write them.
import { normalizeDigits } from './fold-text.ts'
import type { Json } from './paths.ts'

/** Beyond it, neighbouring whole numbers are no longer told apart. */
const NUMBER_MAX = 1e15
const NUMBER_TEXT_MAX = 40

/**
 * A number in any script's digits, with either comma or point: "1.234,56", "1,234.56", "１２", "-3". One group of three
 * behind a single separator is read as thousands only if there is another separator or the language writes it so.
 */
export const readNumber = (value: Json | undefined, language = 'en'): number | undefined => {
  if (typeof value === 'number') return inBounds(value)
  if (typeof value !== 'string' || value.length > NUMBER_TEXT_MAX) return undefined
  const text = normalizeDigits(value)
    .replace(/[\s'’_]/g, '')
    .replace(/[٬،]/g, ',')
    .replace(/٫/g, '.')
    .replace(/[−–]/g, '-')
  if (!/^[+-]?\d[\d.,]*$/.test(text)) return undefined
  const decimal = decimalSign(text, language)
  const thousands = decimal === ',' ? '.' : ','
  const groups = text.split(decimal)[0]!.replace(/^[+-]/, '').split(thousands)
  if (groups.length > 1 && groups.slice(1).some((group) => group.length < 2 || group.length > 3))
    return undefined
  const plain = text.replaceAll(thousands, '').replace(decimal, '.')
  return /^[+-]?\d+(?:\.\d*)?$/.test(plain) ? inBounds(Number(plain)) : undefined
}

/** Which of the two separates the decimals: the last if both are there, else what the language and the digits say. */
const decimalSign = (text: string, language: string): ',' | '.' => {
  const comma = text.lastIndexOf(',')
  const point = text.lastIndexOf('.')
  if (comma >= 0 && point >= 0) return comma > point ? ',' : '.'
  const sign = comma >= 0 ? ',' : '.'
  const digitsBehind = text.length - 1 - Math.max(comma, point)
  const isRepeated = text.indexOf(sign) !== text.lastIndexOf(sign)
  const isGroup = isRepeated || (digitsBehind === 3 && writesDecimals(language) !== sign)
  if (!isGroup) return sign
  return sign === ',' ? '.' : ','
}

/** Languages whose decimals follow a point; the others write a comma. */
const POINT_LANGUAGES = /^(en|ja|zh|ko|he|hi|th|ar|ms|bn|ur)\b/

const writesDecimals = (language: string): ',' | '.' => (POINT_LANGUAGES.test(language) ? '.' : ',')

const inBounds = (number: number): number | undefined =>
  Number.isFinite(number) && Math.abs(number) <= NUMBER_MAX ? number + 0 : undefined

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)$/

/** Milliseconds of a date (its midnight UTC) or moment in ISO 8601, or of a number of them; undefined if it is none. */
export const readMoment = (value: Json | undefined): number | undefined => {
  if (typeof value === 'number') return Math.abs(value) <= 8.64e15 ? value : undefined
  if (typeof value !== 'string') return undefined
  const date = readDate(value)
  if (date) return Date.UTC(date.year, date.month - 1, date.day)
  if (!MOMENT.test(value) || !readDate(value.slice(0, 10))) return undefined
  const ms = Date.parse(value)
  return Number.isNaN(ms) ? undefined : ms
}

export type CalendarDate = { year: number; month: number; day: number }

/** A day of the calendar written as 2026-11-23; undefined for 31 February. */
export const readDate = (text: string): CalendarDate | undefined => {
  const [, year, month, day] = (DATE.exec(text) ?? []).map(Number)
  return year === undefined ? undefined : toDate(year, month!, day!)
}

export const toDate = (year: number, month: number, day: number): CalendarDate | undefined =>
  year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month)
    ? { year, month, day }
    : undefined

const daysIn = (year: number, month: number): number => {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}

export const formatDate = ({ year, month, day }: CalendarDate): string =>
  `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
