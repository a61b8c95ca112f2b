// Checks business hours in words that name the day.
import { WEEKDAYS, type Weekday } from '../../../flow-engine/business-hours.ts'
import { readDate } from '../../../flow-engine/read-values.ts'
import { isTimeZone } from '../../../flow-engine/zone-time.ts'
import { type ErrorDetail, invalid } from '../../platform/errors.ts'
import { EXCEPTIONS_MAX, type NewBusinessHours, PERIODS_MAX } from './schema.ts'

type Period = { from: string; to: string }

const CLOCK = /^(?:([01]\d|2[0-3]):[0-5]\d|24:00)$/
/** 29 February is a date of every year that has one. */
const LEAP_YEAR = 2028

/**
 * The hours with periods and exceptions in order. Throws VALIDATION_ERROR naming every day that is wrong, for an unknown
 * time zone, and for two exceptions on one date.
 */
export const readBusinessHours = (input: NewBusinessHours): NewBusinessHours => {
  const problems: ErrorDetail[] = []
  const refuse = (field: string, message: string) => problems.push({ field, message })
  if (!isTimeZone(input.timeZone))
    refuse('timeZone', `must be an IANA time zone such as Europe/Berlin, not “${input.timeZone}”`)
  const weekly = periodsOfWeek(input.weekly, (day, message) => refuse(`weekly.${day}`, message))
  if (input.exceptions.length > EXCEPTIONS_MAX)
    refuse('exceptions', `can have at most ${EXCEPTIONS_MAX} dates`)
  const dates = new Set<string>()
  const exceptions = input.exceptions.map(({ date, name, periods }, index) => {
    const field = `exceptions[${index}]`
    if (!readDate(date.length === 5 ? `${LEAP_YEAR}-${date}` : date))
      refuse(field, `“${date}” is not a date. Use 2026-12-25, or 12-25 for every year`)
    else if (dates.has(date)) refuse(field, `${date} is listed twice`)
    dates.add(date)
    return {
      date,
      ...(name?.trim() && { name: name.trim() }),
      periods: readPeriods(periods, (message) => refuse(field, message)),
    }
  })
  if (problems.length > 0) throw invalid(...problems)
  return {
    ...input,
    weekly,
    exceptions: exceptions.sort((a, b) => (a.date < b.date ? -1 : 1)),
  }
}

type Weekly = NewBusinessHours['weekly']

/** The same for a week alone; `field` is where it is. */
export const readWeekly = (weekly: Weekly, field: string): Weekly => {
  const problems: ErrorDetail[] = []
  const read = periodsOfWeek(weekly, (day, message) => problems.push({ field: `${field}.${day}`, message }))
  if (problems.length > 0) throw invalid(...problems)
  return read
}

const periodsOfWeek = (weekly: Weekly, refuse: (day: Weekday, message: string) => void): Weekly => {
  const read: Partial<Record<Weekday, Period[]>> = {}
  for (const day of WEEKDAYS) {
    const periods = readPeriods(weekly[day] ?? [], (message) => refuse(day, message))
    if (periods.length > 0) read[day] = periods
  }
  return read
}

const readPeriods = (given: readonly Period[], refuse: (message: string) => void): Period[] => {
  if (given.length > PERIODS_MAX) refuse(`can have at most ${PERIODS_MAX} periods a day`)
  const wrong = given.find(({ from, to }) => !CLOCK.test(from) || !CLOCK.test(to))
  if (wrong) {
    refuse(`${show(wrong)}: enter both times as HH:MM, from 00:00 to 24:00`)
    return []
  }
  const backwards = given.find(({ from, to }) => from >= to)
  if (backwards) {
    refuse(`${show(backwards)}: the end must be after the start. Split hours that go past midnight at 24:00`)
    return []
  }
  const periods = given.map(({ from, to }) => ({ from, to })).sort((a, b) => (a.from < b.from ? -1 : 1))
  const clash = periods.findIndex(({ from }, index) => index > 0 && from < periods[index - 1]!.to)
  if (clash > 0) refuse(`${show(periods[clash - 1]!)} and ${show(periods[clash]!)} overlap`)
  return periods
}

const show = ({ from, to }: Period): string => `${from}–${to}`
