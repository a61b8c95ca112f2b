// Days, times and comparisons as people read them.
import { countOf } from '../../state/amounts.ts'
import { dateOf, durationOf } from '../../state/dates.ts'
import type { Figure, ReportGoal, ReportRated, ReportTook } from '../../state/types.ts'
import { LOCALE } from '../../words/locale.ts'
import { t } from '../../words/t.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const TWO_DAYS_MS = 48 * HOUR_MS
const hoursOf = (ms: number): string => t`${Math.floor(ms / HOUR_MS)} h`

/** A day is the same wherever it is read. */
const noonOf = (day: string): Date => new Date(`${day}T12:00:00`)
export const dayWords = (day: string): string => dateOf(`${day}T12:00:00`)
const short = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short' })
export const shortDay = (day: string): string => short.format(noonOf(day))

const weekday = new Intl.DateTimeFormat(LOCALE, { weekday: 'short', timeZone: 'UTC' })
const weekdayLong = new Intl.DateTimeFormat(LOCALE, { weekday: 'long', timeZone: 'UTC' })
/** 1 January 2024 was a Monday. */
const weekdayDate = (one: number): Date => new Date(Date.UTC(2024, 0, one))
export const weekdayOf = (one: number): string => weekday.format(weekdayDate(one))
export const longWeekdayOf = (one: number): string => weekdayLong.format(weekdayDate(one))
const clock = new Intl.DateTimeFormat(LOCALE, { hour: 'numeric', timeZone: 'UTC' })
export const hourOf = (hour: number): string => clock.format(new Date(Date.UTC(2024, 0, 1, hour)))

/** "45 s", "12 min", "2 h", "3 h 10 min", "2.5 days" */
export const tookWords = (ms: number | null): string => {
  if (ms === null) return '–'
  if (ms < MINUTE_MS) return t`${Math.round(ms / 1000)} s`
  if (ms < TWO_DAYS_MS) return ms >= HOUR_MS && ms % HOUR_MS < MINUTE_MS ? hoursOf(ms) : durationOf(ms)
  return t`${new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 1 }).format(ms / (TWO_DAYS_MS / 2))} days`
}

export const medianOf = ({ medianMs }: ReportTook): string => tookWords(medianMs)

export const averageOf = ({ average }: ReportRated): string =>
  average === null
    ? '–'
    : new Intl.NumberFormat(LOCALE, { minimumFractionDigits: 1, maximumFractionDigits: 1 }).format(average)

const percent = new Intl.NumberFormat(LOCALE, { style: 'percent' })
export const percentOf = (share: number | null): string => (share === null ? '–' : percent.format(share))

/** Of all replies with a target, those on time. */
export const shareOf = ({ met, missed }: Pick<ReportGoal, 'met' | 'missed'>): number | null =>
  met + missed === 0 ? null : met / (met + missed)

/** Of first and next replies. */
export const bothGoals = ({ firstGoal, nextGoal }: { firstGoal: ReportGoal; nextGoal: ReportGoal }) => ({
  met: firstGoal.met + nextGoal.met,
  missed: firstGoal.missed + nextGoal.missed,
})

/** "12% more than before", null where there is nothing to compare. */
export const changeWords = (now: number | null, before: number | null): string | null => {
  if (now === null || before === null || before === 0) return null
  const change = (now - before) / before
  if (Math.abs(change) < 0.005) return t`Same as before`
  return new Intl.NumberFormat(LOCALE, {
    style: 'percent',
    signDisplay: 'always',
    maximumFractionDigits: 0,
  }).format(change)
}

export const conversationsOf = (count: number): string =>
  count === 1 ? t`1 conversation` : t`${countOf(count)} conversations`

export const FIGURE_WORDS: Record<Figure, string> = {
  conversations: t`New conversations`,
  inbound: t`Messages from customers`,
  person: t`Messages by people`,
  program: t`Messages by the API`,
  flow: t`Messages by flows`,
  ai: t`Messages by the AI agent`,
  broadcast: t`Broadcast messages`,
  closed: t`Closed conversations`,
  reopened: t`Reopened conversations`,
  first: t`First replies`,
  next: t`Next replies`,
  automatic: t`Automatic replies`,
  resolution: t`Time to close`,
  rating: t`Ratings`,
  met: t`Replies on time`,
  missed: t`Missed targets`,
  open: t`Open conversations`,
  sent: t`Sent`,
  delivered: t`Delivered`,
  read: t`Read`,
  answered: t`Answered`,
}

const UNITS_MS = [1_000, 60_000, 3_600_000, 86_400_000]
/** A unit has to fit this often into the longest time for the next one to be too coarse. */
const NEXT_UNIT_FROM = 3

/** The unit in which the ticks of an axis up to this time are round. */
export const unitFor = (maxMs: number): number =>
  UNITS_MS.findLast((unit) => maxMs >= unit * NEXT_UNIT_FROM) ?? 1_000
