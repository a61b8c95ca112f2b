// Calendar days of a time zone, and the ids of what happened on them. Days are YYYY-MM-DD.
import { DAY_MS } from '../../../flow-engine/duration.ts'
import { formatDate } from '../../../flow-engine/read-values.ts'
import { dateAt, toMoment } from '../../../flow-engine/zone-time.ts'
import { idFloor } from '../../platform/db/id.ts'

/** Ids sort by creation time, so a day is a range of them: `fromId` and everything before `toId`. */
export type DayRange = { day: string; from: Date; to: Date; fromId: string; toId: string }

const midnightOf = (day: string): number => Date.parse(`${day}T00:00:00Z`)

export const addDays = (day: string, days: number): string =>
  new Date(midnightOf(day) + days * DAY_MS).toISOString().slice(0, 10)

/** Whether there is such a day: 2026-02-30 is none. */
export const isDay = (text: string): boolean => {
  const at = midnightOf(text)
  return !Number.isNaN(at) && new Date(at).toISOString().slice(0, 10) === text
}

/** How many days from one to the other, both counted. */
export const countDays = (from: string, to: string): number =>
  Math.round((midnightOf(to) - midnightOf(from)) / DAY_MS) + 1

/** Both included; none if `to` is before `from`. */
export const listDays = (from: string, to: string): string[] =>
  Array.from({ length: Math.max(0, countDays(from, to)) }, (_, at) => addDays(from, at))

export const dayOf = (at: Date, timeZone: string): string => formatDate(dateAt(at.getTime(), timeZone))

const startOf = (day: string, timeZone: string): Date =>
  new Date(toMoment(midnightOf(day), timeZone, 'earlier'))

/** From the beginning of one day to the end of another. Neighbouring ranges neither overlap nor leave a gap. */
export const rangeOf = (from: string, to: string, timeZone: string): Omit<DayRange, 'day'> => {
  const [start, end] = [startOf(from, timeZone), startOf(addDays(to, 1), timeZone)]
  return { from: start, to: end, fromId: idFloor(start.getTime()), toId: idFloor(end.getTime()) }
}

export const rangesOf = (days: readonly string[], timeZone: string): DayRange[] =>
  days.map((day) => ({ day, ...rangeOf(day, day, timeZone) }))
