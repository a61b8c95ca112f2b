// Fixed windows of 60 seconds. In memory for one process, in Redis for several.
import { randomInt } from 'node:crypto'
import type { Redis } from 'ioredis'

const WINDOW_MS = 60_000
/** Windows that one process may start within a minute, some 15 MB. */
const KEYS_MAX = 100_000
/** Beyond those, keys share this many windows: a flood of addresses then makes limits stricter, never looser. */
const SHARED_WINDOWS = 4_096

export type Taken = { limit: number; remaining: number; resetSeconds: number; isExceeded: boolean }

export type RateLimiter = {
  /** Counts one call under the key, even when the limit is exceeded. */
  take(key: string, limit: number): Taken | Promise<Taken>
}

const toTaken = (count: number, limit: number, resetMs: number): Taken => ({
  limit,
  remaining: Math.max(0, limit - count),
  resetSeconds: Math.max(1, Math.ceil(resetMs / 1000)),
  isExceeded: count > limit,
})

type Window = { endsAtMs: number; count: number }

/** Unpredictable, so that callers cannot choose who shares their window. */
const SEED = randomInt(2 ** 31)

const sharedKeyOf = (key: string): string => {
  let hash = SEED
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193)
  return `shared:${(hash >>> 0) % SHARED_WINDOWS}`
}

/** Takes the same time however many keys there are: windows are never scanned, only dropped all together. */
export const memoryRateLimiter = (
  nowMs: () => number = Date.now,
  { keysMax = KEYS_MAX }: { keysMax?: number } = {},
): RateLimiter => {
  let windows = new Map<string, Window>()
  // Windows started before the last rotation, at most a minute ago. All of them will have ended by the next one.
  let older = new Map<string, Window>()
  let turnsAtMs = Number.NEGATIVE_INFINITY

  const turn = (now: number): void => {
    // After a quiet period, or when the clock was set back, all windows have expired.
    const isLate = now >= turnsAtMs + WINDOW_MS || now < turnsAtMs - WINDOW_MS
    older = isLate ? new Map() : windows
    windows = new Map()
    turnsAtMs = now + WINDOW_MS
  }

  const windowOf = (key: string, now: number): Window => {
    const known = windows.get(key) ?? older.get(key)
    if (known && known.endsAtMs > now) return known
    const window = { endsAtMs: now + WINDOW_MS, count: 0 }
    if (windows.has(key) || windows.size < keysMax) {
      windows.set(key, window)
      return window
    }
    const sharedKey = sharedKeyOf(key)
    const shared = windows.get(sharedKey)
    if (shared && shared.endsAtMs > now) return shared
    windows.set(sharedKey, window)
    return window
  }

  return {
    take(key, limit) {
      const now = nowMs()
      if (now >= turnsAtMs || now < turnsAtMs - WINDOW_MS) turn(now)
      const window = windowOf(key, now)
      window.count += 1
      return toTaken(window.count, limit, window.endsAtMs - now)
    },
  }
}

const TAKE = `
local count = redis.call('incr', KEYS[1])
if count == 1 then redis.call('pexpire', KEYS[1], ARGV[1]) end
return {count, redis.call('pttl', KEYS[1])}`

/**
 * Shared between processes. When Redis does not respond, `fallback` counts: a limit per process is better than none.
 */
export const redisRateLimiter = (redis: Redis, fallback: RateLimiter): RateLimiter => ({
  async take(key, limit) {
    try {
      const [count, resetMs] = (await redis.eval(TAKE, 1, `foyer:limit:${key}`, WINDOW_MS)) as [
        number,
        number,
      ]
      return toTaken(count, limit, resetMs)
    } catch {
      return fallback.take(key, limit)
    }
  },
})
