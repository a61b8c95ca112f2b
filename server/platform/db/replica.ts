// DATABASE_REPLICA_URL: a standby that may answer reads. Two statements a second, one to each server, say whether it is one
// and how far behind it is. Whenever it isn't known to be good, reads go to the primary. See
// docs/decisions/0105-read-replicas.md and 0111-lists-from-a-replica.md.
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { replicaIsUsed, replicaLag } from '../metrics.ts'
import { within } from '../within.ts'
import { endListsAt } from './horizon.ts'
import { countWaiting, type Db, dbAdmitting } from './pool.ts'
import { catchUp, NotThere, readPrimary, readReplica, readWholePrimary, sharingReads } from './positions.ts'

const LOOK_EVERY_MS = 1_000
/** A replica that takes longer to answer is not used. */
const LOOK_TIMEOUT_MS = 1_500
/** A replica that is further behind is not used. */
const BEHIND_MAX_MS = 10_000
/** How long reads that have to be current don't try again after it was behind. */
const LATE_MS = 250
/** A primary that takes longer to say where it is gets the read itself. */
const POSITION_TIMEOUT_MS = 500

/** Why a read goes to the primary. */
export type Refusal = 'unusable' | 'behind' | 'busy'

/** A replica that has everything which the primary had committed when it was asked for. */
export type Current = { db: Db; searchDb: Db; lost: AbortSignal }

export type Replica = {
  /** Its database, if it may be used now; otherwise null. `lost` is aborted as soon as it may not be. */
  use: () => { db: Db; lost: AbortSignal } | null
  /** For one read that must show everything committed so far. Its statements throw NotThere if the replica doesn't. */
  useCurrent: (workspaceId: string) => Promise<Current | Refusal>
  /** A read failed there: it isn't used until it was found to be good again. */
  giveUp: (error: unknown) => void
  close: () => Promise<void>
}

type Options = {
  primary: Db
  replica: Db
  /** The replica through connections for searches. */
  search: Db
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
  lookEveryMs?: number
  behindMaxMs?: number
}

/** A position in the write-ahead log of the primary, and when it was there. */
type Sample = { atMs: number; position: number }

/** Throws an error with the reason if it takes too long, and while an earlier call has not ended. */
const askInTime = <T>(what: string, work: () => Promise<T>): (() => Promise<T>) => {
  let isAsking = false
  return async () => {
    const silent = new Error(`${what} does not respond`)
    if (isAsking) throw silent
    isAsking = true
    const asking = work().finally(() => {
      isAsking = false
    })
    if (!(await within(asking, LOOK_TIMEOUT_MS))) throw silent
    return asking
  }
}

/** Why it can't be used, or null; and since when it is behind. */
const makeInspection = ({ primary, replica, behindMaxMs = BEHIND_MAX_MS }: Options) => {
  const askPrimary = askInTime('the primary', () => readPrimary(primary))
  const askReplica = askInTime('it', () => readReplica(replica))
  let samples: Sample[] = []
  return async (): Promise<string | null> => {
    const { position, epoch, isCut } = await askPrimary()
    const nowMs = performance.now()
    // A replica can't come to where a record is cut, however idle both are.
    if (!isCut) samples.push({ atMs: nowMs, position })
    const seen = await askReplica()
    if (!seen.isReplica) return 'it is not a replica, or was promoted'
    if (seen.epoch !== epoch) return 'it is not a copy of the primary, or far behind it'
    // What it has replayed needs no longer be remembered; the oldest of the rest says since when it is behind.
    samples = samples.filter((sample) => sample.position > seen.position)
    const behindMs = samples.length > 0 ? nowMs - samples[0]!.atMs : 0
    replicaLag.set(behindMs / 1_000)
    return behindMs > behindMaxMs ? `it is more than ${Math.round(behindMaxMs / 1_000)} s behind` : null
  }
}

/** Looks at once and then periodically. The replica is used once a look found it to be good. */
export const watchReplica = (options: Options): Replica => {
  const { replica, log, lookEveryMs = LOOK_EVERY_MS } = options
  const closing = new AbortController()
  let lost: AbortController | null = null
  let reported: string | null = null
  const inspect = makeInspection(options)
  replicaIsUsed.set(0)

  const refuse = (reason: string): void => {
    lost?.abort()
    lost = null
    replicaIsUsed.set(0)
    if (reported === null && !closing.signal.aborted)
      log.warn({ reason }, 'the replica cannot be used; reads go to the primary until it can')
    reported = reason
  }

  const accept = (): void => {
    lost ??= new AbortController()
    replicaIsUsed.set(1)
    if (reported !== null) log.info({}, 'the replica can be used again')
    reported = null
  }

  const running = (async () => {
    while (!closing.signal.aborted) {
      try {
        const reason = await inspect()
        if (reason === null) accept()
        else refuse(reason)
      } catch (error) {
        replicaLag.remove()
        refuse((error as Error).message)
      }
      await delay(lookEveryMs, undefined, { signal: closing.signal }).catch(() => {})
    }
  })()

  return {
    use: () => lost && { db: replica, lost: lost.signal },
    useCurrent: makeCurrent(options, () => lost?.signal ?? null),
    giveUp: (error) => refuse((error as Error).message),
    close: async () => {
      closing.abort()
      lost?.abort()
      lost = null
      await running
      replicaIsUsed.remove()
      replicaLag.remove()
    },
  }
}

/**
 * The position that a read needs is the primary's after the read began: then it shows what anyone was told of before,
 * by a response, an event or a webhook, whichever process told them.
 */
const makeCurrent = ({ primary, replica, search }: Options, find: () => AbortSignal | null) => {
  const readPosition = sharingReads(() => readWholePrimary(primary))
  let lateUntilMs = Number.NEGATIVE_INFINITY
  return async (workspaceId: string): Promise<Current | Refusal> => {
    if (!find()) return 'unusable'
    if (performance.now() < lateUntilMs) return 'behind'
    if (countWaiting(replica) + countWaiting(search) > 0) return 'busy'
    const reading = readPosition()
    // If it can't be read, the primary says why to the read itself.
    const isRead = await within(reading, POSITION_TIMEOUT_MS).catch(() => false)
    if (!isRead) reading.catch(() => {})
    const at = isRead ? await reading : null
    const lost = find()
    if (!at?.history || !lost) return 'unusable'
    const needed = { position: at.position, history: at.history }
    const admit = (client: Parameters<typeof catchUp>[0]): Promise<void> =>
      catchUp(client, needed).catch((error) => {
        if (error instanceof NotThere) lateUntilMs = performance.now() + LATE_MS
        throw error
      })
    const db = dbAdmitting(replica, workspaceId, admit)
    endListsAt(db, {
      primary,
      require: (position) => {
        needed.position = Math.max(needed.position, position)
      },
    })
    return { db, searchDb: dbAdmitting(search, null, admit), lost }
  }
}
