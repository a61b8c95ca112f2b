// WhatsApp's rate limits for a number: messages per second in total, and one per six seconds to the same person with
// bursts of up to 45.

const PAIR_EVERY_MS = 6000
const PAIR_BURST = 45
/** Above this many remembered pairs, those without recent sends are removed. */
const PAIRS_MAX = 200_000

export type Pace = ReturnType<typeof makePace>

export const makePace = () => {
  const throughput = new Map<string, { level: number; atMs: number }>()
  /** When the pair's full allowance is restored. */
  const restedAtMs = new Map<string, number>()

  const forgetRested = (nowMs: number): void => {
    for (const [pair, atMs] of restedAtMs) if (atMs <= nowMs) restedAtMs.delete(pair)
    for (const pair of restedAtMs.keys()) {
      if (restedAtMs.size <= PAIRS_MAX / 2) return
      restedAtMs.delete(pair)
    }
  }

  return {
    /** Whether one more message may be sent now; if so, it is counted. */
    takeThroughput: (phoneNumberId: string, perSecond: number, nowMs: number): boolean => {
      const bucket = throughput.get(phoneNumberId) ?? { level: 0, atMs: nowMs }
      throughput.set(phoneNumberId, bucket)
      bucket.level = Math.max(0, bucket.level - (Math.max(0, nowMs - bucket.atMs) / 1000) * perSecond)
      bucket.atMs = nowMs
      if (bucket.level + 1 > perSecond) return false
      bucket.level++
      return true
    },
    takePair: (phoneNumberId: string, recipient: string, nowMs: number): boolean => {
      const pair = `${phoneNumberId} ${recipient}`
      const restedMs = Math.max(nowMs, restedAtMs.get(pair) ?? 0)
      if (restedMs - nowMs > (PAIR_BURST - 1) * PAIR_EVERY_MS) return false
      if (restedAtMs.size > PAIRS_MAX) forgetRested(nowMs)
      restedAtMs.set(pair, restedMs + PAIR_EVERY_MS)
      return true
    },
  }
}
