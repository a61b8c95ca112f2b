// Formats dates and times in the viewer's time zone and language.
import { LOCALE } from '../words/locale.ts'
import { t } from '../words/t.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

const time = new Intl.DateTimeFormat(LOCALE, { hour: 'numeric', minute: '2-digit' })
const weekday = new Intl.DateTimeFormat(LOCALE, { weekday: 'short' })
const weekdayLong = new Intl.DateTimeFormat(LOCALE, { weekday: 'long' })
const dayMonth = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short' })
const dayMonthYear = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short', year: 'numeric' })
const dayLong = new Intl.DateTimeFormat(LOCALE, { weekday: 'long', day: 'numeric', month: 'long' })
const full = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'full', timeStyle: 'short' })
const relative = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto' })

/** Calendar days between two dates, in the viewer's time zone. */
const daysBetween = (from: Date, to: Date): number =>
  Math.round(
    (new Date(to.getFullYear(), to.getMonth(), to.getDate()).getTime() -
      new Date(from.getFullYear(), from.getMonth(), from.getDate()).getTime()) /
      DAY_MS,
  )

/** For lists: the time if today, the weekday if this week, else the date. */
export const shortMoment = (iso: string, now = new Date()): string => {
  const date = new Date(iso)
  const days = daysBetween(date, now)
  if (days <= 0) return time.format(date)
  if (days === 1) return relative.format(-1, 'day')
  if (days < 7) return weekday.format(date)
  return (date.getFullYear() === now.getFullYear() ? dayMonth : dayMonthYear).format(date)
}

export const timeOf = (iso: string): string => time.format(new Date(iso))
export const dateOf = (iso: string): string => dayMonthYear.format(new Date(iso))
/** "March", and of another year "March 2024". */
export const monthOf = (iso: string, now = new Date()): string => {
  const date = new Date(iso)
  const year = date.getFullYear() === now.getFullYear() ? undefined : 'numeric'
  return date.toLocaleDateString(LOCALE, { month: 'long', year })
}
/** Full date and time, for tooltips. */
export const fullMoment = (iso: string): string => full.format(new Date(iso))
export const dateTimeOf = (iso: string): string => `${dateOf(iso)}, ${timeOf(iso)}`

/** The heading of a day in a thread. */
export const dayHeading = (iso: string, now = new Date()): string => {
  const date = new Date(iso)
  const days = daysBetween(date, now)
  if (days === 0 || days === 1) {
    const text = relative.format(-days, 'day')
    return text[0]!.toUpperCase() + text.slice(1)
  }
  if (days > 0 && days < 7) return weekdayLong.format(date)
  return date.getFullYear() === now.getFullYear() ? dayLong.format(date) : dayMonthYear.format(date)
}

export const dayKey = (iso: string): string => {
  const date = new Date(iso)
  return `${date.getFullYear()}-${date.getMonth()}-${date.getDate()}`
}

/** "3 hours ago". */
export const agoOf = (iso: string, now = new Date()): string => {
  const ms = new Date(iso).getTime() - now.getTime()
  const minutes = Math.round(ms / MINUTE_MS)
  if (Math.abs(minutes) < 60) return relative.format(minutes, 'minute')
  const hours = Math.round(minutes / 60)
  if (Math.abs(hours) < 24) return relative.format(hours, 'hour')
  return relative.format(Math.round(hours / 24), 'day')
}

/** "5 min", "3 h", "2 d": how long ago, for a list. */
export const briefly = (iso: string, now = new Date()): string => {
  const minutes = Math.max(1, Math.floor((now.getTime() - Date.parse(iso)) / MINUTE_MS))
  if (minutes < 60) return t`${minutes} min`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? t`${hours} h` : t`${Math.floor(hours / 24)} d`
}

/** "23 h 10 min", for the time remaining. */
export const durationOf = (ms: number): string => {
  const minutes = Math.max(0, Math.floor(ms / MINUTE_MS))
  const hours = Math.floor(minutes / 60)
  return hours > 0 ? t`${hours} h ${minutes % 60} min` : t`${minutes} min`
}

const units = ['B', 'kB', 'MB', 'GB']
/** 1.4 MB */
export const sizeOf = (bytes: number): string => {
  let value = bytes
  let unit = 0
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000
    unit += 1
  }
  return `${new Intl.NumberFormat(LOCALE, { maximumFractionDigits: value < 10 && unit > 0 ? 1 : 0 }).format(value)} ${units[unit]}`
}
