import { setTimeout as delay } from 'node:timers/promises'

/** Whether the work ends within the time; if not, it continues. Its errors are rethrown. */
export const within = async (work: Promise<unknown>, timeoutMs: number): Promise<boolean> => {
  const timer = new AbortController()
  const late = delay(timeoutMs, false, { signal: timer.signal }).catch(() => false)
  try {
    return await Promise.race([work.then(() => true), late])
  } finally {
    timer.abort()
  }
}
