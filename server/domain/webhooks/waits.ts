// When a failed delivery is tried again, and when an endpoint that is down is. Pure: the clock and chance come in.
const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** After the first failure, after the second, …: 15 attempts over 76 hours. */
const WAITS_MS = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  ...[1, 2, 4, 8, 12, 12, 12, 12, 12].map((hours) => hours * HOUR),
]
export const TRIES_MAX = WAITS_MS.length + 1

/** Random share added to or subtracted from a wait, so that what failed together is not tried together. */
const JITTER = 0.2
const RETRY_AFTER_MAX_MS = 24 * HOUR

/** The wait after this many tries, or the longer one that the receiver asks for, up to a day. */
export const waitMs = (tries: number, retryAfterMs: number, random: () => number = Math.random): number => {
  const plain = WAITS_MS[Math.min(tries, WAITS_MS.length) - 1]!
  const wait = plain * (1 - JITTER + 2 * JITTER * random())
  return Math.round(Math.max(wait, Math.min(retryAfterMs, RETRY_AFTER_MAX_MS)))
}

const PROBE_MIN_MS = 10 * SECOND
const PROBE_MAX_MS = 10 * MINUTE

/** Until the next probe, after this many. */
export const probeWaitMs = (probes: number): number =>
  Math.min(PROBE_MIN_MS * 2 ** Math.min(probes, 20), PROBE_MAX_MS)

/** A failing delivery holds up those behind it for this long. */
export const HOLD_MS = 5 * MINUTE

/** What an endpoint that fails for this long is called. */
export const FAILING_MAX_MS = 5 * 24 * HOUR
export const WARNINGS_MS = [1, 24, 96].map((hours) => hours * HOUR)
