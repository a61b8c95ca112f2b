import type { SessionBounds } from './queries.ts'

const DAY_MS = 24 * 3_600_000
export const SESSION_IDLE_MS = 14 * DAY_MS
export const SESSION_MAX_MS = 90 * DAY_MS

/** A session ends when nobody used it for 14 days, and after 90 in any case. */
export const sessionBounds = (now: Date): SessionBounds => ({
  seenAfter: new Date(now.getTime() - SESSION_IDLE_MS),
  createdAfter: new Date(now.getTime() - SESSION_MAX_MS),
})
