// When the relay begins its next batch. A batch of one event costs about as much as one of many, and takes the time from
// those who record: under load batches are paced so that the relay works a fifth of the time, and each is larger. What
// comes after a quiet moment is passed on at once.

const WORK_SHARE = 0.2
/** Of the time that is still to be waited. */
const AT_ONCE_MS = 150
const WAIT_MAX_MS = 120

/** `waitMs`: how long after a batch that began at `startedMs`, took `workMs` and is over `nowMs`. */
export const makePace = () => {
  /** When the work so far is its share of the time. */
  let evenAtMs = 0
  return {
    waitMs: (startedMs: number, workMs: number, nowMs: number): number => {
      evenAtMs = Math.max(evenAtMs, startedMs) + workMs / WORK_SHARE
      const waitMs = Math.max(evenAtMs - AT_ONCE_MS - nowMs, 0)
      if (waitMs <= WAIT_MAX_MS) return waitMs
      // Slow batches don't add up.
      evenAtMs -= waitMs - WAIT_MAX_MS
      return WAIT_MAX_MS
    },
  }
}
