// How fast WhatsApp lets a number send: so many a second in all, and one in six seconds to one person, of which 45 may
// come at once.

export type Pace = {
  /** Whether one more goes through now; it is counted when it does. */
  takeThroughput: (phoneNumberId: string, perSecond: number, nowMs: number) => boolean
  takePair: (phoneNumberId: string, recipient: string, nowMs: number) => boolean
}

const PAIR_EVERY_MS = 6000
const PAIR_BURST = 45
/** Above this many remembered pairs, those that are rested are forgotten. */
const PAIRS_MAX = 200_000

export const makePace = (): Pace => {
  const throughput = new Map<string, { level: number; atMs: number }>()
  /** When the pair is as rested as if nothing had been sent. */
  const restedAtMs = new Map<string, number>()

  const forgetRested = (nowMs: number): void => {
    for (const [pair, atMs] of restedAtMs) if (atMs <= nowMs) restedAtMs.delete(pair)
    for (const pair of restedAtMs.keys()) {
      if (restedAtMs.size <= PAIRS_MAX / 2) return
      restedAtMs.delete(pair)
    }
  }

  return {
    takeThroughput: (phoneNumberId, perSecond, nowMs) => {
      const bucket = throughput.get(phoneNumberId) ?? { level: 0, atMs: nowMs }
      throughput.set(phoneNumberId, bucket)
      bucket.level = Math.max(0, bucket.level - (Math.max(0, nowMs - bucket.atMs) / 1000) * perSecond)
      bucket.atMs = nowMs
      if (bucket.level + 1 > perSecond) return false
      bucket.level++
      return true
    },
    takePair: (phoneNumberId, recipient, nowMs) => {
      const pair = `${phoneNumberId} ${recipient}`
      const restedMs = Math.max(nowMs, restedAtMs.get(pair) ?? 0)
      if (restedMs - nowMs > (PAIR_BURST - 1) * PAIR_EVERY_MS) return false
      if (restedAtMs.size > PAIRS_MAX) forgetRested(nowMs)
      restedAtMs.set(pair, restedMs + PAIR_EVERY_MS)
      return true
    },
  }
}
