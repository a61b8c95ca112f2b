// Worker processes that are killed (SIGKILL) at random, and replaced.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { TEST_SECRET_KEY } from '../app.ts'
import type { Random } from './random.ts'

const WORKER = new URL('../../server/jobs/testing/worker-process.ts', import.meta.url).pathname
const TIMING = {
  sendTimeoutMs: 2_000,
  claimMarginMs: 500,
  backoffMinMs: 40,
  backoffMaxMs: 200,
  overdueAfterMs: 1_000,
}
const WORKERS = 2
/** Between two kills. */
const LIFE_MS = { min: 300, max: 2_500 }

const startProcess = async (connectionString: string): Promise<ChildProcess> => {
  const child = spawn(process.execPath, [WORKER, connectionString, TEST_SECRET_KEY, JSON.stringify(TIMING)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit').then(([code]) => {
    throw new Error(`a worker ended with ${code} instead of starting`)
  })
  exited.catch(() => {})
  await Promise.race([once(child.stdout!, 'data'), exited])
  return child
}

/** Workers of which one is killed again and again, and replaced. */
export const startMortals = async (connectionString: string, random: Random) => {
  const living = await Promise.all(Array.from({ length: WORKERS }, () => startProcess(connectionString)))
  const ending = new AbortController()
  let kills = 0
  const kill = async (child: ChildProcess): Promise<void> => {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  const killing = (async () => {
    for (;;) {
      const lifeMs = LIFE_MS.min + random.below(LIFE_MS.max - LIFE_MS.min)
      await delay(lifeMs, undefined, { signal: ending.signal }).catch(() => {})
      if (ending.signal.aborted) return
      await kill(living.shift()!)
      kills++
      living.push(await startProcess(connectionString))
    }
  })()
  return {
    /** Nobody is killed any more. Returns how many were. */
    spare: async (): Promise<number> => {
      ending.abort()
      await killing
      return kills
    },
    stop: async (): Promise<void> => {
      ending.abort()
      await killing
      await Promise.all(living.map(kill))
    },
  }
}
