// Which workers are alive. Each holds a session lock in the database: if the process dies or its connection is cut,
// PostgreSQL releases it. What a dead worker had fetched or claimed is then free for others at once; the library
// alone would wait four hours, and a claim would have to expire.
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { CLAIMANT } from '../platform/db/claimant.ts'
import { type Connection, makeConnection } from '../platform/db/connection.ts'

/** The lock numbers are made from this and the worker's id. */
const LOCK_SEED = 7_030_004
const CHECK_EVERY_MS = 2_000
/** A worker whose connection broke retakes its lock within this time; one that does not is dead. */
const DEAD_AFTER_MS = 4_000
const RESPONSE_TIMEOUT_MS = 5_000
/** No fetch takes this long: a job of ours that we don't know about was fetched by a lost response. */
const LOST_AFTER_SECONDS = 20
const LOST_CHECK_EVERY = 5

/** The worker's machine may disappear silently: the server notices in about this time. Not for local sockets. */
const KEEPALIVES = { tcp_keepalives_idle: '4', tcp_keepalives_interval: '2', tcp_keepalives_count: '2' }

type OwnJobs = {
  /** The id under which this process locks jobs now; it changes when the queue restarts. */
  workerId: () => string | null
  /** What it has fetched and not yet released. Null while unknown. */
  jobIds: () => readonly string[] | null
}

type LivingWorkers = { close: () => Promise<void> }

type Watch = {
  connectionString: string
  own: OwnJobs
  /** Releases what these processes had claimed (claimant.ts). */
  releaseClaims: (claimants: readonly string[]) => Promise<void>
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
}

/** Signals that this worker is alive, and frees what dead ones hold, until closed. */
export const watchWorkers = ({ connectionString, own, releaseClaims, log }: Watch): LivingWorkers => {
  const stopping = new AbortController()
  const pause = () => delay(CHECK_EVERY_MS, undefined, { signal: stopping.signal }).catch(() => {})

  const follow = async (): Promise<void> => {
    const connection = makeConnection({
      connectionString,
      applicationName: 'foyer (worker lives)',
      silenceTimeoutMs: RESPONSE_TIMEOUT_MS,
      settings: KEEPALIVES,
    })
    try {
      await connection.connect()
      const held = new Set<string>()
      /** Since when a worker's lock has been free. */
      const missing = new Map<string, number>()
      for (let round = 1; !stopping.signal.aborted; round++) {
        const workerId = own.workerId()
        for (const id of [CLAIMANT, workerId])
          if (id && !held.has(id)) {
            await connection.query('select pg_advisory_lock_shared(hashtextextended($1, $2))', [
              id,
              LOCK_SEED,
            ])
            held.add(id)
          }
        const dead = await findDead(connection, [CLAIMANT, workerId ?? ''], missing)
        if (dead.length > 0) {
          await connection.query('select graphile_worker.force_unlock_workers($1)', [dead])
          await releaseClaims(dead)
          log.info({ workers: dead.length }, 'taking over the work of dead workers')
        }
        if (workerId && round % LOST_CHECK_EVERY === 0) await freeLost(connection, workerId, own)
        await pause()
      }
    } finally {
      await connection.end().catch(() => {})
    }
  }

  const run = async (): Promise<void> => {
    let isBroken = false
    while (!stopping.signal.aborted) {
      try {
        await follow()
      } catch (error) {
        if (!isBroken && !stopping.signal.aborted)
          log.warn({ err: error }, 'the connection that shows this worker is alive was lost')
        isBroken = true
      }
      await pause()
    }
  }
  const running = run()
  return {
    close: async () => {
      stopping.abort()
      await running
    },
  }
}

/**
 * Holders of jobs or claims who have not held a lock for long enough. A process has several ids: its queue's and its
 * own.
 */
const findDead = async (
  connection: Connection,
  own: readonly string[],
  missing: Map<string, number>,
): Promise<string[]> => {
  // A held lock can't be taken; one that can is released at the end of the statement.
  const { rows } = await connection.query<{ id: string }>(
    `select id from (
       select locked_by as id from graphile_worker._private_jobs where locked_by is not null
       union select locked_by from graphile_worker._private_job_queues where locked_by is not null
       union select claimed_by from deliveries where state = 'sending' and claimed_by is not null
       union select claimed_by from sent_reactions where state = 'sending' and claimed_by is not null
       union select claimed_by from attachments where state = 'pending' and claimed_by is not null
       union select claimed_by from action_calls where state = 'calling'
       union select claimed_by from webhook_deliveries where state = 'sending' and claimed_by is not null
       union select claimed_by from ai_turns where state = 'thinking' and claimed_by is not null) holders
     where id <> all ($1::text[]) and pg_try_advisory_xact_lock(hashtextextended(id, $2))`,
    [own, LOCK_SEED],
  )
  const nowMs = performance.now()
  const free = new Set(rows.map(({ id }) => id))
  for (const id of missing.keys()) if (!free.has(id)) missing.delete(id)
  for (const id of free) if (!missing.has(id)) missing.set(id, nowMs)
  const dead = [...missing].filter(([, sinceMs]) => nowMs - sinceMs >= DEAD_AFTER_MS).map(([id]) => id)
  for (const id of dead) missing.delete(id)
  return dead
}

/** Frees what was fetched for us by a statement whose response never arrived. */
const freeLost = async (connection: Connection, workerId: string, own: OwnJobs): Promise<void> => {
  const jobIds = own.jobIds()
  if (!jobIds) return
  await connection.query(
    `with lost as (
       update graphile_worker._private_jobs set locked_at = null, locked_by = null
       where locked_by = $1 and locked_at < now() - $2 * interval '1 second' and id <> all ($3::bigint[])
       returning job_queue_id)
     update graphile_worker._private_job_queues q set locked_at = null, locked_by = null
     from lost where q.id = lost.job_queue_id and q.locked_by = $1`,
    [workerId, LOST_AFTER_SECONDS, jobIds],
  )
}
