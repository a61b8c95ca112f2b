// When a workspace is open: weekly periods, exceptions by date, one time zone.
import { DAY_MS, MINUTE_MS } from './duration.ts'
import { formatDate } from './read-values.ts'
import { dateOf, isTimeZone, toMoment, toWallTime } from './zone-time.ts'

/** Wall-clock times as HH:MM; `to` may be 24:00. Hours that go past midnight are two periods, 22:00–24:00 and 00:00–02:00. */
export type OpenPeriod = { from: string; to: string }

export const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const
export type Weekday = (typeof WEEKDAYS)[number]

export type BusinessHours = {
  id: string
  name: string
  isDefault: boolean
  /** IANA, e.g. Europe/Berlin. */
  timeZone: string
  weekly: Partial<Record<Weekday, readonly OpenPeriod[]>>
  /**
   * Replace the weekly periods of that date; none: closed all day. 2026-12-25 is one day and goes before 12-25, which is
   * every year.
   */
  exceptions: readonly { date: string; name?: string; periods: readonly OpenPeriod[] }[]
}

/** How far ahead the next opening is looked for. */
const DAYS_AHEAD_MAX = 400
/** Hours without a closing in this many days count as always open. */
const OPEN_DAYS_MAX = 8

/** Of `2026-`. */
const YEAR_LENGTH = 5

type Span = { from: number; to: number }

/** Hours can only be used while the time zone data has their zone. */
export const isUsable = (hours: BusinessHours): boolean => isTimeZone(hours.timeZone)

export const isOpen = (hours: BusinessHours, at: number): boolean =>
  [...spansFrom(hours, at, 1)].some(({ from, to }) => from <= at && at < to)

/** When it opens next, in milliseconds; `at` itself while it is open; null if that isn't within DAYS_AHEAD_MAX days. */
export const opensAt = (hours: BusinessHours, at: number): number | null => {
  for (const { from, to } of spansFrom(hours, at, DAYS_AHEAD_MAX)) if (to > at) return Math.max(from, at)
  return null
}

/** When it closes; null while it is closed, or if it never closes. */
export const closesAt = (hours: BusinessHours, at: number): number | null => {
  let end: number | null = null
  for (const { from, to } of spansFrom(hours, at, OPEN_DAYS_MAX)) {
    if (end === null) {
      if (from <= at && at < to) end = to
    } else if (from <= end) end = Math.max(end, to)
    else return end
  }
  return end !== null && end - at < (OPEN_DAYS_MAX - 1) * DAY_MS ? end : null
}

/** The open spans of the days around a moment, in order. */
function* spansFrom(hours: BusinessHours, at: number, days: number): Generator<Span> {
  const wall = toWallTime(at, hours.timeZone)
  const today = wall - (((wall % DAY_MS) + DAY_MS) % DAY_MS)
  // The day before too: after a skipped hour its end may lie behind `at`.
  for (let day = -1; day <= days; day++) yield* spansOf(hours, today + day * DAY_MS)
}

/** What the clocks show twice is open from the first time to the last; a period within a skipped hour doesn't exist. */
const spansOf = (hours: BusinessHours, midnight: number): Span[] => {
  const date = formatDate(dateOf(midnight))
  const weekday = WEEKDAYS[new Date(midnight).getUTCDay()]!
  const exceptionOn = (day: string) => hours.exceptions.find((one) => one.date === day)
  const exception = exceptionOn(date) ?? exceptionOn(date.slice(YEAR_LENGTH))
  return (exception?.periods ?? hours.weekly[weekday] ?? [])
    .map(({ from, to }) => ({ from: readClock(from), to: readClock(to) }))
    .filter(({ from, to }) => from < to)
    .sort((a, b) => a.from - b.from)
    .map(({ from, to }) => ({
      from: toMoment(midnight + from, hours.timeZone, 'earlier'),
      to: toMoment(midnight + to, hours.timeZone, 'later'),
    }))
    .filter(({ from, to }) => from < to)
}

const CLOCK = /^([01]\d|2[0-4]):([0-5]\d)$/

/** Milliseconds since midnight; NaN for what is no time, which no comparison lets through. */
const readClock = (text: string): number => {
  const [, hours, minutes] = CLOCK.exec(text) ?? []
  const ms = (Number(hours) * 60 + Number(minutes)) * MINUTE_MS
  return ms <= DAY_MS ? ms : Number.NaN
}

/** The hours that a step names, or the default ones; undefined if they were deleted. */
export const findHours = (all: readonly BusinessHours[], id: string | undefined): BusinessHours | undefined =>
  all.find((hours) => (id === undefined ? hours.isDefault : hours.id === id))
