// Which rows of the events table can be read for certain. They are read in the order (tx, id), and only up to the oldest
// transaction that still runs: nothing can appear before those any more.
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/pool.ts'

export type Position = { tx: number; id: number }
export type Listed = Position & { isSettled: boolean }

/** How soon to check again for events withheld by an older transaction; doubles while it runs. */
const WITHHELD_MIN_MS = 10
const WITHHELD_MAX_MS = 160
/** Events withheld for this long get a more thorough check. */
const THOROUGH_FROM_MS = 40

/** Older than every transaction still running on the server: nothing can appear before it any more. */
export const oldestRunning = sql`pg_snapshot_xmin(pg_current_snapshot())::text::bigint`

/**
 * The same, ignoring transactions known to record no events: those in other databases of the server, and those of
 * other programs, which have neither our name nor the lock that ours start with (db/horizon.ts). A long one, such as
 * an index build, must not hold up ours. A transaction that can't be seen, or has just ended, still counts. Costs a
 * scan of all connections and locks.
 */
export const oldestOfOurs = sql`(
  with held as materialized (select pid, locktype, transactionid, mode, objsubid from pg_locks where granted)
  select coalesce(min(x.xid::text::bigint), pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
  from pg_snapshot_xip(pg_current_snapshot()) x(xid)
  where not exists (
    select from held t join pg_stat_activity a on a.pid = t.pid
    where t.locktype = 'transactionid' and t.transactionid = x.xid::xid and t.mode = 'ExclusiveLock'
      and (a.datname <> current_database() or a.application_name <> 'foyer'
        and not exists (select from held o where o.pid = t.pid and o.locktype = 'advisory' and o.objsubid = 2))))`

/** Settled and withheld events after a position, in order; the first withheld one ends what may be passed on. */
export const listAfter = async <Row extends Listed>(
  db: Db,
  { tx, id }: Position,
  { columns, max, isThorough }: { columns: RawBuilder<unknown>; max: number; isThorough: boolean },
): Promise<Row[]> => {
  const { rows } = await sql<Row>`
    select ${columns}, tx < ${isThorough ? oldestOfOurs : oldestRunning} as "isSettled"
    from events
    where (tx, id) > (${tx}::bigint, ${id}::bigint)
    order by tx, id
    limit ${sql.lit(max)}`.execute(db)
  return rows
}

/** How a reader waits for withheld events: a little longer each time, and with a thorough check once it takes long. */
export const makePatience = () => {
  let waitMs = WITHHELD_MIN_MS
  return {
    isThorough: (): boolean => waitMs >= THOROUGH_FROM_MS,
    takeMs: (): number => {
      const takenMs = waitMs
      waitMs = Math.min(waitMs * 2, WITHHELD_MAX_MS)
      return takenMs
    },
    reset: (): void => {
      waitMs = WITHHELD_MIN_MS
    },
  }
}
