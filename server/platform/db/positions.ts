// How far a replica has come. What was acknowledged is in the write-ahead log of the primary before its flushed position,
// so a replica that has replayed up to there shows it. Positions can only be compared within one history: that of an
// epoch and a timeline, which a replica has in `event_epoch` once it follows the server that wrote it there.
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import type pg from 'pg'
import { within } from '../within.ts'
import { Connection } from './connection.ts'
import type { Db } from './pool.ts'

/** A place in a history that a read needs. */
export type Place = { position: number; history: string }

type OfPrimary = {
  position: number
  /** The database that a replica must be a copy of. */
  epoch: string
  /** Null while positions say nothing: the timeline is not recorded yet, or commits don't wait for the disk. */
  history: string | null
  /** The log was flushed up to a page's end, in the middle of a record that a replica can't replay yet. */
  isCut: boolean
}

export type OfReplica = Place & { isReplica: boolean; epoch: string }

const EPOCH = `concat(number, ' ', system_identifier)`
const HISTORY = `concat(number, ' ', timeline, ' ', system_identifier)`

const PRIMARY = sql<OfPrimary>`
  select (pg_current_wal_flush_lsn() - '0/0')::bigint as position, ${sql.raw(EPOCH)} as epoch,
    (pg_current_wal_flush_lsn() - '0/0') % current_setting('wal_block_size')::integer = 0
      and pg_current_wal_insert_lsn() > pg_current_wal_flush_lsn() as "isCut",
    case when timeline = left(pg_walfile_name(pg_current_wal_lsn()), 8)
      and current_setting('synchronous_commit') <> 'off' then ${sql.raw(HISTORY)} end as history
  from event_epoch`

const REPLICA = `
  select pg_is_in_recovery() as "isReplica", ${EPOCH} as epoch, ${HISTORY} as history,
    coalesce((pg_last_wal_replay_lsn() - '0/0')::bigint, 0) as position
  from event_epoch`

/** Fails at a server that is in recovery. */
export const readPrimary = async (db: Db): Promise<OfPrimary> => (await PRIMARY.execute(db)).rows[0]!

/**
 * The same where a record ends. What cut it wasn't a commit, so only a commit is sure to flush the rest soon: one of a
 * message that nobody reads.
 */
export const readWholePrimary = async (db: Db): Promise<OfPrimary> => {
  const found = await readPrimary(db)
  if (!found.isCut) return found
  await sql`select pg_logical_emit_message(true, 'foyer', '')`.execute(db)
  return readPrimary(db)
}

export const readReplica = async (db: Db): Promise<OfReplica> =>
  (await sql.raw<OfReplica>(REPLICA).execute(db)).rows[0]!

/** Callers share a reading, but only one that began after they called. */
export const sharingReads = <T>(read: () => Promise<T>): (() => Promise<T>) => {
  let running: Promise<T> | null = null
  let next: Promise<T> | null = null
  const begin = (): Promise<T> => {
    const reading = read().finally(() => {
      if (running === reading) running = null
    })
    running = reading
    return reading
  }
  return () => {
    if (!running) return begin()
    next ??= running
      .catch(() => {})
      .then(() => {
        next = null
        return begin()
      })
    return next
  }
}

/** A server didn't have what a read needs in time. */
export class NotThere extends Error {}

/** A replica that follows closely needs a millisecond or two. */
const CATCH_UP_MAX_MS = 25
const ASK_AGAIN_MS = 1
/** The statement reads one row: a server that takes longer hangs. */
const ANSWER_MAX_MS = 250

/** What the server of a connection had replayed when it was last asked; it never goes back while the connection lasts. */
const reached = new WeakMap<object, Place>()

const has = (place: Place | undefined, needed: Place): boolean =>
  place !== undefined && place.history === needed.history && place.position >= needed.position

/**
 * Resolves once the server of this connection has replayed what is needed. Each connection is asked itself, because a
 * proxy may lead to another replica each time. Throws NotThere.
 */
export const catchUp = async (client: pg.PoolClient, needed: Place): Promise<void> => {
  if (!(client instanceof Connection)) throw new TypeError('the pool is not one of ours')
  if (has(reached.get(client), needed)) return
  const endMs = performance.now() + CATCH_UP_MAX_MS
  for (;;) {
    const asking = client.query<OfReplica>({ name: 'how far', text: REPLICA })
    if (!(await within(asking, ANSWER_MAX_MS))) {
      asking.catch(() => {})
      client.destroy('Connection terminated: the replica did not respond')
      throw new NotThere('it does not respond')
    }
    const seen = (await asking).rows[0]!
    if (!seen.isReplica || seen.history !== needed.history) throw new NotThere('it is no copy of the primary')
    // Behind a pooler, the next statement may be another server's.
    if (!client.isPooled) reached.set(client, seen)
    if (has(seen, needed)) return
    if (performance.now() > endMs) throw new NotThere('it is behind')
    await delay(ASK_AGAIN_MS)
  }
}
