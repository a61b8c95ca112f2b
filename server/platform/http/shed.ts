// Refuses requests that would wait for the database for seconds, because their workspace sends more than it can do.
import { type Db, isOverloaded } from '../db/pool.ts'
import { ApiError } from '../errors.ts'
import { requestsShed } from '../metrics.ts'

const RETRY_SECONDS = '2'
/**
 * Callers that come again at once would take the processor from those who are being served. So each is held for a
 * moment, in which the line may also become shorter, and few are let go in one turn of the event loop: a transaction
 * takes several turns, while others wait for its locks.
 */
const HOLD_MS = 50
const LET_GO_PER_TURN = 16

/** One for all of them: where it was thrown says nothing, and finding that out is a part of what refusing costs. */
const overloaded = new ApiError('SERVICE_UNAVAILABLE', { headers: { 'retry-after': RETRY_SECONDS } })

/** Those that are held, the one that is let go first in front. There are no more of them than connections. */
const held: { releaseClaim: () => void; untilMs: number }[] = []

const releaseClaim = (): void => {
  const nowMs = performance.now()
  for (
    let count = 0;
    count < LET_GO_PER_TURN && (held[0]?.untilMs ?? Number.POSITIVE_INFINITY) <= nowMs;
    count++
  )
    held.shift()!.releaseClaim()
  wait()
}

const wait = (): void => {
  const next = held[0]
  if (!next) return
  const waitMs = next.untilMs - performance.now()
  if (waitMs <= 0) setImmediate(releaseClaim)
  else setTimeout(releaseClaim, waitMs)
}

const hold = (): Promise<void> =>
  new Promise((resolve) => {
    held.push({ releaseClaim: resolve, untilMs: performance.now() + HOLD_MS })
    if (held.length === 1) wait()
  })

/** Throws SERVICE_UNAVAILABLE after a moment when the workspace is overloaded. Otherwise there is nothing to wait for. */
export const shed = ({ db }: { db: Db }, workspaceId: string): Promise<void> | undefined =>
  isOverloaded(db, workspaceId) ? holdAndShed(db, workspaceId) : undefined

const holdAndShed = async (db: Db, workspaceId: string): Promise<void> => {
  await hold()
  if (!isOverloaded(db, workspaceId)) return
  requestsShed.inc()
  throw overloaded
}
