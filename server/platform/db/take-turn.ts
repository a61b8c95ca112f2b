// One process at a time. Waiting processes poll instead of using one long statement: its snapshot would keep the
// "create index concurrently" they are waiting for from finishing.
import { setTimeout as delay } from 'node:timers/promises'
import { StartError } from '../start-error.ts'
import type { Connection } from './connection.ts'

const ASK_EVERY_MS = 200
/** Processes that start together wait briefly, which is not worth logging. */
const SAY_AFTER_MS = 5_000
const SAY_EVERY_MS = 10_000

export type Waiting = {
  /** Called now and then while another process holds the lock. */
  say?: (line: string) => void
  /** Ends the wait. */
  signal?: AbortSignal | undefined
}

/** Waits for the session lock with this number. Throws StartError if the signal ends the wait. */
export const takeTurn = async (
  connection: Connection,
  lock: number,
  what: string,
  { say, signal }: Waiting,
): Promise<void> => {
  for (let sayAtMs = performance.now() + SAY_AFTER_MS; ; ) {
    const { rows } = await connection.query<{ is: boolean }>('select pg_try_advisory_lock($1) as is', [lock])
    if (rows[0]!.is) return
    if (performance.now() > sayAtMs) {
      say?.(`waiting for another process that ${what}`)
      sayAtMs = performance.now() + SAY_EVERY_MS
    }
    await delay(ASK_EVERY_MS, undefined, { ...(signal && { signal }) }).catch(() => {})
    if (signal?.aborted) throw new StartError(`Stopped while waiting for another process that ${what}.`)
  }
}
