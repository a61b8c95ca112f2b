// Rejects requests that would wait seconds for the database because their workspace sends more than it can handle.
import { type Db, isOverloaded } from '../db/pool.ts'
import { ApiError } from '../errors.ts'
import { requestsShed } from '../metrics.ts'

const RETRY_SECONDS = '2'
/**
 * Callers that retry at once would take processor time from those being served. So each rejection is delayed, during
 * which the queue may also become shorter, and only a few are sent in one turn of the event loop: a transaction takes
 * several turns while others wait for its locks.
 */
const HOLD_MS = 50
const RELEASED_PER_TURN = 16

/** Shared by all: a stack trace would be useless, and capturing it is much of the cost of a rejection. */
const overloaded = new ApiError('SERVICE_UNAVAILABLE', { headers: { 'retry-after': RETRY_SECONDS } })

/** Delayed requests, the oldest first. At most one for each open client connection. */
const held: { release: () => void; untilMs: number }[] = []

const releaseDue = (): void => {
  const nowMs = performance.now()
  for (
    let count = 0;
    count < RELEASED_PER_TURN && (held[0]?.untilMs ?? Number.POSITIVE_INFINITY) <= nowMs;
    count++
  )
    held.shift()!.release()
  wait()
}

const wait = (): void => {
  const next = held[0]
  if (!next) return
  const waitMs = next.untilMs - performance.now()
  if (waitMs <= 0) setImmediate(releaseDue)
  else setTimeout(releaseDue, waitMs)
}

const hold = (): Promise<void> =>
  new Promise((resolve) => {
    held.push({ release: resolve, untilMs: performance.now() + HOLD_MS })
    if (held.length === 1) wait()
  })

/** Throws SERVICE_UNAVAILABLE after a short delay if the workspace is overloaded. Otherwise there is nothing to await. */
export const shed = ({ db }: { db: Db }, workspaceId: string): Promise<void> | undefined =>
  isOverloaded(db, workspaceId) ? holdAndShed(db, workspaceId) : undefined

const holdAndShed = async (db: Db, workspaceId: string): Promise<void> => {
  await hold()
  if (!isOverloaded(db, workspaceId)) return
  requestsShed.inc()
  throw overloaded
}
