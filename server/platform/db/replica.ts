// DATABASE_REPLICA_URL: a standby that may answer reads. Two statements a second, one to each server, say whether it is one
// and how far behind it is. Whenever it isn't known to be good, reads go to the primary. See
// docs/decisions/0105-read-replicas.md.
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
import { within } from '../within.ts'
import type { Db } from './pool.ts'

const LOOK_EVERY_MS = 1_000
/** A replica that takes longer to answer is not used. */
const LOOK_TIMEOUT_MS = 1_500
/** A replica that is further behind is not used. */
const BEHIND_MAX_MS = 10_000

export type Replica = {
  /** Its database, if it may be used now; otherwise null. `lost` is aborted as soon as it may not be. */
  use: () => { db: Db; lost: AbortSignal } | null
  /** A read failed there: it isn't used until it was found to be good again. */
  giveUp: (error: unknown) => void
  close: () => Promise<void>
}

type Options = {
  primary: Db
  replica: Db
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
  lookEveryMs?: number
  behindMaxMs?: number
}

/** A position in the write-ahead log of the primary, and when it was there. */
type Sample = { atMs: number; position: number }

type Seen = { isReplica: boolean; position: number; epoch: string }

/** The database that a replica must be a copy of. */
const epochOf = sql<string>`(select concat(number, ' ', system_identifier) from event_epoch)`

const readPrimary = async (db: Db): Promise<{ position: number; epoch: string }> => {
  const { rows } = await sql<{ position: number; epoch: string }>`
    select (pg_current_wal_lsn() - '0/0')::bigint as position, ${epochOf} as epoch`.execute(db)
  return rows[0]!
}

const readReplica = async (db: Db): Promise<Seen> => {
  const { rows } = await sql<Seen>`
    select pg_is_in_recovery() as "isReplica", ${epochOf} as epoch,
      coalesce((pg_last_wal_replay_lsn() - '0/0')::bigint, 0) as position`.execute(db)
  return rows[0]!
}

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

/** Looks at once and then periodically. The replica is used once a look found it to be good. */
export const watchReplica = ({
  primary,
  replica,
  log,
  lookEveryMs = LOOK_EVERY_MS,
  behindMaxMs = BEHIND_MAX_MS,
}: Options): Replica => {
  const closing = new AbortController()
  let lost: AbortController | null = null
  let reported: string | null = null
  let samples: Sample[] = []
  const askPrimary = askInTime('the primary', () => readPrimary(primary))
  const askReplica = askInTime('it', () => readReplica(replica))

  const refuse = (reason: string): void => {
    lost?.abort()
    lost = null
    if (reported === null && !closing.signal.aborted)
      log.warn({ reason }, 'the replica cannot be used; reads go to the primary until it can')
    reported = reason
  }

  const accept = (): void => {
    lost ??= new AbortController()
    if (reported !== null) log.info({}, 'the replica can be used again')
    reported = null
  }

  /** Why it can't be used, or null. */
  const look = async (): Promise<string | null> => {
    const { position, epoch } = await askPrimary()
    const nowMs = performance.now()
    samples.push({ atMs: nowMs, position })
    const seen = await askReplica()
    if (!seen.isReplica) return 'it is not a replica, or was promoted'
    if (seen.epoch !== epoch) return 'it is not a copy of the primary, or far behind it'
    // What it has replayed needs no longer be remembered; the oldest of the rest says since when it is behind.
    samples = samples.filter((sample) => sample.position > seen.position)
    const behindMs = samples.length > 0 ? nowMs - samples[0]!.atMs : 0
    return behindMs > behindMaxMs ? `it is more than ${Math.round(behindMaxMs / 1_000)} s behind` : null
  }

  const running = (async () => {
    while (!closing.signal.aborted) {
      try {
        const reason = await look()
        if (reason === null) accept()
        else refuse(reason)
      } catch (error) {
        refuse((error as Error).message)
      }
      await delay(lookEveryMs, undefined, { signal: closing.signal }).catch(() => {})
    }
  })()

  return {
    use: () => lost && { db: replica, lost: lost.signal },
    giveUp: (error) => refuse((error as Error).message),
    close: async () => {
      closing.abort()
      lost?.abort()
      lost = null
      await running
    },
  }
}
