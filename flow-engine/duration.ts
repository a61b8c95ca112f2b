export const DAY_MS = 86_400_000
export const HOUR_MS = 3_600_000
export const MINUTE_MS = 60_000

/** The longest wait; longer durations count as this one. */
export const WAIT_MAX_MS = 30 * DAY_MS
/** How long a question waits that says nothing else. */
export const ANSWER_WAIT_MS = DAY_MS

const DURATION = /^P(?:(\d{1,3})D)?(?:T(?:(\d{1,3})H)?(?:(\d{1,4})M)?(?:(\d{1,5})S)?)?$/

/** Milliseconds of an ISO 8601 duration, in days of 24 hours; undefined if it is none. */
export const readDuration = (text: string): number | undefined => {
  const parts = DURATION.exec(text)
  if (!parts || !/\d/.test(text)) return undefined
  const [days, hours, minutes, seconds] = parts.slice(1).map((part) => Number(part ?? 0))
  return days! * DAY_MS + hours! * HOUR_MS + minutes! * MINUTE_MS + seconds! * 1_000
}

/** How long to wait, within WAIT_MAX_MS. The schema has read the text before. */
export const waitMs = (text: string): number => Math.min(readDuration(text) ?? 0, WAIT_MAX_MS)
