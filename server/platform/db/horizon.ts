// Which rows may still appear. An id is made before its row is committed, so a row can become visible below others
// that have already been read. Every transaction therefore starts by taking a shared advisory lock that records its
// start time, and a list in creation order shows only what is older than all open transactions: nothing can appear
// below that any more.
//
// It is exact even if the processes' clocks disagree. A transaction makes no id earlier than the database's clock
// after it took the lock, and a check of the locks counts from before it started, so transactions it misses make
// later ids. PostgreSQL releases the lock after the rows are visible or never will be, even if the process died. See
// docs/decisions/0025-exact-lists.md.
import { setTimeout as delay } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import { sql } from 'kysely'
import { databaseMs, setDatabaseMs } from './clock.ts'
import { idFloor, lastIdMs, makeNoIdsBefore } from './id.ts'
import { REVOCATIONS_SESSION } from './listen.ts'
import { type Db, rootOf, SCRIPT } from './pool.ts'

/** A check costs about as much as a short statement; one serves all lists that start shortly after it. */
const LOOK_KEPT_MS = 10
/**
 * How long a list, or the response to a write, waits for older transactions of its workspace, and how often it
 * checks.
 */
const WAIT_MAX_MS = 1_000
const LOOK_AGAIN_MS = 1
/** How often to check whether other processes also serve requests. */
const ALONE_KEPT_MS = 1_000
const COMMITS_MAX = 10_000

/**
 * This number identifies our two-part locks; the other is the lower 32 bits of a millisecond. Workspaces may share a
 * lock.
 */
const lockClass = (workspaceId: string): number => crc32(workspaceId) | 0

type Look = {
  startedMs: number
  /** By the database's clock, before the check. */
  atMs: number
  /** The start time of the open transactions, by lock class. */
  oldest: ReadonlyMap<number, number>
  /** In the write-ahead log; everything that isn't among them was committed before it. */
  position: number
}

type Commit = {
  /** By the monotonic clock. */
  committedMs: number
  /** It made no ids later than this millisecond. */
  idMs: number
  /** The same for the latest commit whose author may look for it in a list. */
  awaitedMs: number
}

type State = {
  look: Look | null
  looking: { startedMs: number; done: Promise<Look> } | null
  /** This process's latest commit in each workspace. */
  commits: Map<string, Commit>
  isAlone: { is: boolean; askedMs: number }
}

type Scope = { db: Db; workspaceId: string }

const states = new WeakMap<Db, State>()

/** By pool, because a process may use several databases in tests. */
const stateOf = (db: Db): State => {
  const root = rootOf(db)
  let state = states.get(root)
  if (!state) {
    state = {
      look: null,
      looking: null,
      commits: new Map(),
      isAlone: { is: false, askedMs: Number.NEGATIVE_INFINITY },
    }
    states.set(root, state)
  }
  return state
}

/**
 * Runs `work` in a transaction that others can see is open. Every row of the three lists is created in one of these.
 * `isAwaited`: lists wait until they can show what was written.
 */
export const runTransaction = async <T>(
  { db, workspaceId }: Scope,
  isAwaited: boolean,
  work: (db: Db) => Promise<T>,
): Promise<T> => {
  const result = await db.connection().execute(async (connection) => {
    try {
      const sinceMs = Math.floor(databaseMs())
      const { rows } = await sql
        .raw<{ ms: number }>(`${SCRIPT} select
          pg_advisory_xact_lock_shared(${lockClass(workspaceId)}, ${sinceMs | 0}),
          floor(extract(epoch from clock_timestamp()) * 1000)::bigint as ms`)
        .execute(connection)
      const { ms } = rows[0]!
      setDatabaseMs(ms)
      makeNoIdsBefore(Math.max(ms, sinceMs))
      const result = await work(connection)
      await sql`commit`.execute(connection)
      return result
    } catch (error) {
      // A broken connection has already rolled back, and its original error is the one to report.
      await sql`rollback`.execute(connection).catch(() => {})
      throw error
    }
  })
  const { commits } = stateOf(db)
  const idMs = lastIdMs()
  const awaitedMs = isAwaited ? idMs : (commits.get(workspaceId)?.awaitedMs ?? 0)
  commits.delete(workspaceId)
  commits.set(workspaceId, { committedMs: performance.now(), idMs, awaitedMs })
  if (commits.size > COMMITS_MAX) commits.delete(commits.keys().next().value!)
  return result
}

const look = async (db: Db): Promise<Look> => {
  const startedMs = performance.now()
  // The position is read after the locks.
  const { rows } = await sql<{ atMs: number; locks: [type: number, sinceMs: number][]; position: number }>`
    with held as materialized (
      select coalesce(json_agg(json_build_array(classid::bigint, objid::bigint)), '[]') as locks from pg_locks
      where locktype = 'advisory' and objsubid = 2
        and database = (select oid from pg_database where datname = current_database())
    )
    select floor(extract(epoch from statement_timestamp()) * 1000)::bigint as "atMs", locks,
      case when pg_is_in_recovery() then 0 else (pg_current_wal_flush_lsn() - '0/0')::bigint end as position
    from held`.execute(db)
  const { atMs, locks, position } = rows[0]!
  const oldest = new Map<number, number>()
  for (const [type, since] of locks) {
    // The upper bits come from the current time: no transaction stays open for days.
    const sinceMs = atMs + ((since - atMs) | 0)
    oldest.set(type | 0, Math.min(oldest.get(type | 0) ?? sinceMs, sinceMs))
  }
  return { startedMs, atMs, oldest, position }
}

/** How far behind the present the lists may be: the age of the oldest transaction that is open in any workspace. */
export const readFloorSeconds = async (db: Db): Promise<number> => {
  const { atMs, oldest } = await look(db)
  return Math.max(0, ...[...oldest.values()].map((sinceMs) => atMs - sinceMs)) / 1_000
}

/** A check started after a time by the monotonic clock; concurrent callers share it. */
const pollSince = (db: Db, state: State, afterMs: number): Look | Promise<Look> => {
  const fromMs = Math.max(afterMs, performance.now() - LOOK_KEPT_MS)
  if (state.look && state.look.startedMs > fromMs) return state.look
  if (state.looking && state.looking.startedMs > fromMs) return state.looking.done
  const startedMs = performance.now()
  // It serves every workspace, so it does not wait for any workspace's share of connections.
  const done = look(rootOf(db))
  const looking = { startedMs, done }
  state.looking = looking
  done
    .then((found) => {
      if (!state.look || found.startedMs > state.look.startedMs) state.look = found
    })
    .catch(() => {})
    .finally(() => {
      if (state.looking === looking) state.looking = null
    })
  return done
}

/** No id of the workspace before this millisecond can appear any more. */
const settledMs = (found: Look, workspaceId: string): number =>
  Math.min(found.oldest.get(lockClass(workspaceId)) ?? found.atMs, found.atMs)

/** A check that has passed a commit; limits how long the caller waits for older transactions. */
const lookBeyond = async ({ db, workspaceId }: Scope, commit: Commit | undefined): Promise<Look> => {
  const state = stateOf(db)
  if (!commit) return pollSince(db, state, Number.NEGATIVE_INFINITY)
  const endMs = performance.now() + WAIT_MAX_MS
  for (let afterMs = commit.committedMs; ; ) {
    const found = await pollSince(db, state, afterMs)
    const isBeyond = found.atMs > commit.idMs && settledMs(found, workspaceId) > commit.awaitedMs
    if (isBeyond || performance.now() > endMs) return found
    afterMs = found.startedMs
    await delay(LOOK_AGAIN_MS)
  }
}

/**
 * Greater than the ids of all rows that a list of the workspace may show: no row below it can appear any more. The
 * list must be read after this. Rows written through this process are below it unless an older transaction of the
 * workspace outlasts the wait.
 */
const horizonOf = async ({ db, workspaceId }: Scope): Promise<string> => {
  const { primary, require } = origins.get(db) ?? { primary: db }
  const scope = { db: primary, workspaceId }
  const found = await lookBeyond(scope, stateOf(primary).commits.get(workspaceId))
  require?.(found.position)
  return idFloor(settledMs(found, workspaceId))
}

type Origin = {
  primary: Db
  /** The list must be read from a copy that has come to this position. */
  require: (position: number) => void
}

const origins = new WeakMap<Db, Origin>()

/** Has lists in a replica end where those of its primary end: only the primary knows what is open. */
export const endListsAt = (replica: Db, origin: Origin): void => {
  origins.set(replica, origin)
}

/** The id before which a page starts: its cursor, limited to the horizon. */
export const startOf = async (scope: Scope, cursor: { id: string } | null): Promise<string> => {
  const horizon = await horizonOf(scope)
  return cursor && cursor.id < horizon ? cursor.id : horizon
}

/**
 * Waits until the lists of other processes show what this one has just committed, because the client's next read may
 * go to any of them. If this is the only process serving requests, lists wait instead.
 */
export const waitUntilListed = async ({ db, workspaceId }: Scope): Promise<void> => {
  const state = stateOf(db)
  const commit = state.commits.get(workspaceId)
  try {
    if (!commit || (await isAlone(db, state))) return
    await lookBeyond({ db, workspaceId }, commit)
    // Another process may still be using an earlier check.
    await delay(LOOK_KEPT_MS + 1)
  } catch {
    // The work is done and the response must say so; a list that can't be read reports that itself.
  }
}

const isAlone = async (db: Db, state: State): Promise<boolean> => {
  const nowMs = performance.now()
  if (nowMs - state.isAlone.askedMs < ALONE_KEPT_MS) return state.isAlone.is
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from pg_stat_activity
    where datname = current_database() and application_name = ${REVOCATIONS_SESSION}`.execute(db)
  state.isAlone = { is: rows[0]!.count <= 1, askedMs: nowMs }
  return state.isAlone.is
}
