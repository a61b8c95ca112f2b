const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

export type DeliveryTiming = {
  /** A call to a provider is given up after this. Shorter than what a stopping server waits for. */
  sendTimeoutMs: number
  /** A claim this much older than the timeout belongs to nobody any more. */
  claimMarginMs: number
  /** The first retry comes after about this, each next one after twice as long, up to the maximum. */
  backoffMinMs: number
  backoffMaxMs: number
  /** A provider that asks for more patience than this gets this. */
  retryAfterMaxMs: number
  /** A message that could not be handed over for so long has failed. */
  givenUpAfterMs: number
  /** Silence after an unknown outcome that counts as failure. */
  unconfirmedAfterMs: number
  /** A broadcast whose number is refused as a whole pauses for so long, each time twice as long, up to the maximum. */
  pauseMinMs: number
  pauseMaxMs: number
  /** How long a due delivery may lie before the sweep makes a job for it. */
  overdueAfterMs: number
  /** How long a file may take to come from its provider, and the margin after which nobody is fetching it any more. */
  fetchTimeoutMs: number
  fetchMarginMs: number
  /** A file that could not be fetched for so long has failed. WhatsApp keeps what customers send for a week. */
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

/** Up to this share is added to a wait or taken from it, so that what failed together does not come back together. */
const JITTER = 0.2

/** How long to wait after so many tries. */
export const backoffMs = (timing: DeliveryTiming, tries: number, random = Math.random): number => {
  const doublings = Math.min(tries - 1, 30)
  const plain = Math.min(timing.backoffMinMs * 2 ** doublings, timing.backoffMaxMs)
  return Math.round(plain * (1 - JITTER + 2 * JITTER * random()))
}
