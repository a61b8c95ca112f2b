// How long a request blocks the process.
import assert from 'node:assert/strict'
import type { InjectOptions } from 'fastify'
import type { TestApp } from './app.ts'

const BLOCKED_MAX_MS = 50
/** A busy machine or garbage collection can slow any attempt: the fastest one shows what the request takes. */
const TRIES = 6
/** Some kernels count a thread's time in steps of 4 ms. */
const STEP_MS = 4

const threadMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** The longest time that the thread was busy without a break while the work was done. */
const longestBlockMs = async (work: () => Promise<unknown>): Promise<number> => {
  let longest = 0
  let isOver = false
  let at = performance.now()
  let atThread = threadMs()
  const look = (): void => {
    const now = performance.now()
    const nowThread = threadMs()
    longest = Math.max(longest, Math.min(now - at, nowThread - atThread + STEP_MS))
    at = now
    atThread = nowThread
    if (!isOver) setImmediate(look)
  }
  setImmediate(look)
  try {
    await work()
  } finally {
    isOver = true
  }
  look()
  return longest
}

/** Requests, each checked against BLOCKED_MAX_MS, and those that took longer. */
export const makeBlockingCheck = ({ app }: Pick<TestApp, 'app'>) => {
  const slow: string[] = []
  return {
    /** `options` may be rebuilt for each attempt, if the second would be a different request. */
    check: async (name: string, options: InjectOptions | (() => InjectOptions)): Promise<number> => {
      let best = Number.POSITIVE_INFINITY
      let status = 0
      for (let tried = 0; tried < TRIES && best > BLOCKED_MAX_MS; tried++) {
        const request = typeof options === 'function' ? options() : options
        const blocked = await longestBlockMs(async () => {
          status = (await app.inject(request)).statusCode
        })
        best = Math.min(best, blocked)
      }
      assert.notEqual(status, 500, `${name} is answered with 500`)
      if (best > BLOCKED_MAX_MS) slow.push(`${name} (${status}): ${Math.round(best)} ms`)
      return status
    },
    assertNothingSlow: (): void => assert.deepEqual(slow.splice(0), []),
  }
}
