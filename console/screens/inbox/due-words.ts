import { t } from '../../words/t.ts'

const MINUTE_MS = 60_000
const HOUR_MINUTES = 60
const DAY_MINUTES = 1_440

const spanOf = (minutes: number): string => {
  if (minutes < HOUR_MINUTES) return t`${minutes} min`
  if (minutes < DAY_MINUTES) return t`${Math.floor(minutes / HOUR_MINUTES)} h`
  const days = Math.floor(minutes / DAY_MINUTES)
  return days === 1 ? t`1 day` : t`${days} days`
}

/** “Due in 12 min” or “Overdue 5 min”. */
export const dueWords = (at: string, now = Date.now()): string => {
  const minutes = (Date.parse(at) - now) / MINUTE_MS
  return minutes > 0
    ? t`Due in ${spanOf(Math.ceil(minutes))}`
    : t`Overdue ${spanOf(Math.max(1, Math.floor(-minutes)))}`
}
