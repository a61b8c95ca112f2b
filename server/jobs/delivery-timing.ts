const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

export type DeliveryTiming = {
  /** A call to a provider times out after this. Shorter than what a stopping server waits for. */
  sendTimeoutMs: number
  /** A claim this much older than the timeout is abandoned. */
  claimMarginMs: number
  /** The first retry comes after about this; the delay doubles up to the maximum. */
  backoffMinMs: number
  backoffMaxMs: number
  /** If a provider asks for a longer delay than this, it gets this. */
  retryAfterMaxMs: number
  /** A message that could not be sent for this long has failed. */
  givenUpAfterMs: number
  /** Silence after an unknown outcome that counts as failure. */
  unconfirmedAfterMs: number
  /** A broadcast whose number is rejected as a whole pauses for this long; the pause doubles up to the maximum. */
  pauseMinMs: number
  pauseMaxMs: number
  /** How long a due delivery may wait before the sweep makes a job for it. */
  overdueAfterMs: number
  /** How long a download may take, and the margin after which it is considered abandoned. */
  fetchTimeoutMs: number
  fetchMarginMs: number
  /** A file that could not be downloaded for this long has failed. WhatsApp keeps customers' files for a week. */
  fetchGivenUpAfterMs: number
}

export const DELIVERY_TIMING: DeliveryTiming = {
  sendTimeoutMs: 15 * SECOND,
  claimMarginMs: 10 * SECOND,
  backoffMinMs: SECOND,
  backoffMaxMs: 15 * MINUTE,
  retryAfterMaxMs: HOUR,
  givenUpAfterMs: 24 * HOUR,
  unconfirmedAfterMs: 10 * MINUTE,
  pauseMinMs: MINUTE,
  pauseMaxMs: 15 * MINUTE,
  overdueAfterMs: 30 * SECOND,
  fetchTimeoutMs: 2 * MINUTE,
  fetchMarginMs: 30 * SECOND,
  fetchGivenUpAfterMs: 72 * HOUR,
}

/** Random share added to or subtracted from a delay, so that what failed together is not retried together. */
const JITTER = 0.2

/** The delay after this many attempts. */
export const backoffMs = (timing: DeliveryTiming, tries: number, random = Math.random): number => {
  const doublings = Math.min(tries - 1, 30)
  const plain = Math.min(timing.backoffMinMs * 2 ** doublings, timing.backoffMaxMs)
  return Math.round(plain * (1 - JITTER + 2 * JITTER * random()))
}

/** The same, or the longer delay that the provider asks for. */
export const retryInMs = (timing: DeliveryTiming, tries: number, retryAfterMs = 0): number =>
  Math.max(backoffMs(timing, tries), Math.min(retryAfterMs, timing.retryAfterMaxMs))
