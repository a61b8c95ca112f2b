// Which history of the database a cursor belongs to. The server numbers transactions: after restoring into another
// server, or a failover to a lagging standby, numbers stand for other events or none, and resumed clients would
// receive nothing until the numbers caught up. Each such break starts a new epoch, and all clients start over.
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/pool.ts'
import type { Position } from './settled.ts'

export type Epoch = {
  /** The second in which it started; a later epoch is greater. */
  number: number
  /** The next transaction's number. It never decreases within one history. */
  nextTx: number
}

/** How often to check that the database is still the same one; also checked after each failure. */
const KEPT_MS = 1_000
const DELETED_MAX = 10_000
const INSUFFICIENT_PRIVILEGE = '42501'

type Found = Epoch & {
  isHere: boolean
  hasLaterEvents: boolean
  systemIdentifier: string | null
  timeline: string | null
}

const systemIdentifier = sql`(select system_identifier::text from pg_control_system())`

/** One statement: the WAL's timeline id, which every promotion increases at once. */
const findEpoch = async (db: Db, seesSystem: boolean): Promise<Found> => {
  const { rows } = await sql<Found>`
    with here as materialized (
      select ${seesSystem ? systemIdentifier : sql`null::text`} as system_identifier,
        case when not pg_is_in_recovery() then left(pg_walfile_name(pg_current_wal_lsn()), 8) end as timeline,
        pg_snapshot_xmax(pg_current_snapshot())::text::bigint as next_tx
    )
    select e.number, h.next_tx as "nextTx", h.system_identifier as "systemIdentifier", h.timeline,
      coalesce(e.system_identifier = h.system_identifier, true)
        and coalesce(e.timeline = h.timeline, true) and e.number > 0 as "isHere",
      exists (select from events where tx >= h.next_tx) as "hasLaterEvents"
    from event_epoch e cross join here h`.execute(db)
  return rows[0]!
}

/** A role that may not read the server's identifier relies on the rest. */
const findEpochAsAllowed = async (db: Db): Promise<Found> => {
  try {
    return await findEpoch(db, true)
  } catch (error) {
    if ((error as { code?: string }).code !== INSUFFICIENT_PRIVILEGE) throw error
    return findEpoch(db, false)
  }
}

/** Events of transactions that this server has not reached come from another one, so they can't be sent in order. */
const deleteLaterEvents = (db: Db): Promise<void> =>
  deleteEvents(db, sql`tx >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint`)

/**
 * Deletes what a reader had read in an earlier epoch: its place says nothing about events of this one. Ids never
 * decrease, so that an event after `maxId` is new, wherever it sorts.
 */
export const deleteRead = (db: Db, { tx, id, maxId }: Position & { maxId: number }): Promise<void> =>
  deleteEvents(db, sql`(tx, id) <= (${tx}::bigint, ${id}::bigint) and id <= ${maxId}`)

const deleteEvents = async (db: Db, where: RawBuilder<unknown>): Promise<void> => {
  for (let deleted = DELETED_MAX; deleted === DELETED_MAX; ) {
    const { numAffectedRows } = await sql`
      delete from events where (tx, id) in (
        select tx, id from events where ${where} order by tx, id limit ${DELETED_MAX}::integer)`.execute(db)
    deleted = Number(numAffectedRows ?? 0)
  }
}

/**
 * The database's current epoch. Starts a new one if the database differs from the last check, or has gone back in
 * time since `known`. Several processes may notice at once: one starts the epoch, the others adopt it.
 */
const readEpoch = async (db: Db, known: Epoch | null): Promise<Epoch> => {
  const found = await findEpochAsAllowed(db)
  const wentBack = known !== null && known.number === found.number && found.nextTx < known.nextTx
  if (found.isHere && !found.hasLaterEvents && !wentBack) return found
  return startEpoch(db, found)
}

const startEpoch = async (db: Db, found: Found): Promise<Epoch> => {
  await deleteLaterEvents(db)
  await sql`
    update event_epoch set
      number = greatest(number + 1, extract(epoch from clock_timestamp())::bigint),
      system_identifier = coalesce(${found.systemIdentifier}, system_identifier),
      timeline = coalesce(${found.timeline}, timeline),
      moved_to = null
    where number = ${found.number}`.execute(db)
  return findEpochAsAllowed(db)
}

/** Starts a new epoch for a reader that knows a later transaction of this epoch than the server does. */
export const startEpochAfter = async (db: Db, known: Epoch): Promise<Epoch> => {
  const found = await findEpochAsAllowed(db)
  return found.number === known.number ? startEpoch(db, found) : found
}

/** Starts a new epoch, because the database was put back to an earlier copy of itself, which it can't know. */
export const startNextEpoch = async (db: Db): Promise<Epoch> => startEpoch(db, await findEpochAsAllowed(db))

/** The current epoch, read again once the last reading is too old. `onReplaced` is called when a new one has started. */
export const watchEpoch = (db: Db, onReplaced: () => void) => {
  let epoch: Epoch | null = null
  let readAtMs = Number.NEGATIVE_INFINITY
  return {
    current: async (): Promise<Epoch> => {
      if (epoch && performance.now() - readAtMs < KEPT_MS) return epoch
      const found = await readEpoch(db, epoch)
      const isReplaced = epoch !== null && epoch.number !== found.number
      epoch = found
      readAtMs = performance.now()
      if (isReplaced) onReplaced()
      return found
    },
    isStill: ({ number }: Epoch): boolean => epoch?.number === number,
    recheck: (): void => {
      readAtMs = Number.NEGATIVE_INFINITY
    },
  }
}
