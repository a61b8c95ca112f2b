// Usual times to snooze until, in the viewer's time zone.

import { timeOf } from '../../state/dates.ts'
import { LOCALE } from '../../words/locale.ts'
import { t } from '../../words/t.ts'

const HOUR_MS = 3_600_000
const MORNING_HOUR = 9
/** Later than this, "later today" would be at night. */
const LATER_TODAY_UNTIL_HOUR = 18
const LATER_HOURS = 3

const weekday = new Intl.DateTimeFormat(LOCALE, { weekday: 'short' })
const dayMonth = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short' })

const morningIn = (now: Date, days: number): Date =>
  new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, MORNING_HOUR)

/** The days to the next Monday, at least one. */
const daysToMonday = (now: Date): number => (8 - now.getDay()) % 7 || 7

export const snoozeChoices = (now: Date): { label: string; until: string; hint: string }[] => {
  const later = new Date(now.getTime() + LATER_HOURS * HOUR_MS)
  later.setMinutes(0, 0, 0)
  const choices = [
    ...(now.getHours() < LATER_TODAY_UNTIL_HOUR ? [{ label: t`Later today`, at: later }] : []),
    { label: t`Tomorrow`, at: morningIn(now, 1) },
    { label: t`In 3 days`, at: morningIn(now, 3) },
    { label: t`Next week`, at: morningIn(now, daysToMonday(now)) },
    {
      label: t`In a month`,
      at: new Date(now.getFullYear(), now.getMonth() + 1, now.getDate(), MORNING_HOUR),
    },
  ]
  return choices.map(({ label, at }) => {
    const until = at.toISOString()
    const isNear = at.getTime() - now.getTime() < 7 * 24 * HOUR_MS
    const isToday = at.getDate() === now.getDate() && isNear
    const day = isToday ? '' : `${(isNear ? weekday : dayMonth).format(at)}, `
    return { label, until, hint: `${day}${timeOf(until)}` }
  })
}
