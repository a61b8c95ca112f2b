// Times on the clocks of a time zone, from the zone data that Node and browsers bring (Intl). Temporal would replace
// this file, but neither Node 24 nor all browsers have it, and its polyfill weighs 20 kB compressed.
import { DAY_MS, MINUTE_MS } from './duration.ts'
import type { CalendarDate } from './read-values.ts'

const formats = new Map<string, Intl.DateTimeFormat | null>()

const formatOf = (timeZone: string): Intl.DateTimeFormat | null => {
  const known = formats.get(timeZone)
  if (known !== undefined) return known
  const format = tryFormat(timeZone)
  formats.set(timeZone, format)
  return format
}

const tryFormat = (timeZone: string): Intl.DateTimeFormat | null => {
  try {
    return new Intl.DateTimeFormat('en-u-ca-iso8601-nu-latn', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
      era: 'short',
    })
  } catch {
    // Intl has no other way to say that it doesn't know a zone.
    return null
  }
}

export const isTimeZone = (timeZone: string): boolean => formatOf(timeZone) !== null

/** What the zone's clocks show at a moment, as if it were UTC. A zone that is unknown counts as UTC. */
export const toWallTime = (at: number, timeZone: string): number => {
  const format = formatOf(timeZone)
  if (!format) return at
  const parts: Record<string, number> = {}
  for (const { type, value } of format.formatToParts(at)) parts[type] = Number(value)
  const { year, month, day, hour, minute, second } = parts
  return Date.UTC(year!, month! - 1, day!, hour, minute, second) + (((at % 1_000) + 1_000) % 1_000)
}

export const dateAt = (at: number, timeZone: string): CalendarDate => dateOf(toWallTime(at, timeZone))

export const dateOf = (wall: number): CalendarDate => {
  const date = new Date(wall)
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() }
}

/**
 * The moment at which a zone's clocks show a wall time. A time that they show twice (when they are set back) is the
 * `earlier` or the `later` one; a time that they skip is the moment at which they are set forward.
 */
export const toMoment = (wall: number, timeZone: string, pick: 'earlier' | 'later'): number => {
  const moments = [wall - DAY_MS, wall + DAY_MS]
    .map((near) => wall - (toWallTime(near, timeZone) - near))
    .filter((moment) => toWallTime(moment, timeZone) === wall)
  if (moments.length === 0) return findSkip(wall, timeZone)
  return pick === 'earlier' ? Math.min(...moments) : Math.max(...moments)
}

/** The first moment at which the clocks show more than the skipped time, to the minute: no zone changes within one. */
const findSkip = (wall: number, timeZone: string): number => {
  let before = wall - 2 * DAY_MS
  let after = wall + 2 * DAY_MS
  while (after - before > MINUTE_MS) {
    const middle = before + Math.floor((after - before) / 2 / MINUTE_MS) * MINUTE_MS
    if (toWallTime(middle, timeZone) > wall) after = middle
    else before = middle
  }
  return after
}
