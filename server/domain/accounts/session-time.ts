import type { SessionBounds } from './session-queries.ts'

const DAY_MS = 24 * 3_600_000
const SESSION_IDLE_MS = 14 * DAY_MS
export const SESSION_MAX_MS = 90 * DAY_MS

/** A session ends after 14 days without use, and after 90 days in any case. */
export const sessionBounds = (now: Date): SessionBounds => ({
  seenAfter: new Date(now.getTime() - SESSION_IDLE_MS),
  createdAfter: new Date(now.getTime() - SESSION_MAX_MS),
})
