// Fixed windows of 60 seconds. In memory for one process, in Redis for several.
import type { Redis } from 'ioredis'

const WINDOW_MS = 60_000
/** Past this many keys the expired ones are dropped, so that a flood of addresses cannot fill the memory. */
const KEYS_MAX = 100_000

export type Taken = { limit: number; remaining: number; resetSeconds: number; isExceeded: boolean }

export type RateLimiter = {
  /** Counts one call under the key, also when the limit is exceeded. */
  take(key: string, limit: number): Taken | Promise<Taken>
}

const toTaken = (count: number, limit: number, resetMs: number): Taken => ({
  limit,
  remaining: Math.max(0, limit - count),
  resetSeconds: Math.max(1, Math.ceil(resetMs / 1000)),
  isExceeded: count > limit,
})

export const memoryRateLimiter = (nowMs: () => number = Date.now): RateLimiter => {
  const windows = new Map<string, { endsAtMs: number; count: number }>()
  return {
    take(key, limit) {
      const now = nowMs()
      let window = windows.get(key)
      if (!window || window.endsAtMs <= now) {
        if (windows.size >= KEYS_MAX) {
          for (const [other, { endsAtMs }] of windows) if (endsAtMs <= now) windows.delete(other)
        }
        window = { endsAtMs: now + WINDOW_MS, count: 0 }
        windows.set(key, window)
      }
      window.count += 1
      return toTaken(window.count, limit, window.endsAtMs - now)
    },
  }
}

const TAKE = `
local count = redis.call('incr', KEYS[1])
if count == 1 then redis.call('pexpire', KEYS[1], ARGV[1]) end
return {count, redis.call('pttl', KEYS[1])}`

/** Shared between processes. When Redis does not answer, `fallback` counts: a limit per process rather than none. */
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
