// Follows the events table live. Events come in the order (tx, id), none before every earlier transaction has ended,
// so that a client resuming from a cursor misses nothing. If the database has been replaced (epoch.ts), all start
// over.
import type { FastifyBaseLogger } from 'fastify'
import type { Redis } from 'ioredis'
import { sql } from 'kysely'
import type { Db } from '../db/pool.ts'
import { type Epoch, watchEpoch } from './epoch.ts'

/** `cursor` is opaque to clients: where to resume. Of two cursors, the later one compares greater as a string. */
export type LiveEvent = {
  cursor: string
  workspaceId: string
  type: string
  conversationId: string | null
  contactId: string | null
  data: Record<string, unknown>
  createdAt: string
}

export type Stream = {
  /**
   * Calls the listener for every event from now on; the returned function unsubscribes. `onBreak` is called when
   * events may be lost: earlier cursors can't be resumed any more.
   */
  subscribe(listener: (event: LiveEvent) => void, onBreak?: () => void): () => void
  /**
   * The events of a conversation (null: the whole workspace) after a cursor; null if the cursor is unknown or too
   * old, or too much was missed.
   */
  replay(workspaceId: string, conversationId: string | null, cursor: string): Promise<LiveEvent[] | null>
  /** The newest deliverable event of any workspace: a new listener resumes from there. */
  head(): Promise<string | null>
  /** This process has committed events: check now rather than at the next tick. */
  wake(): void
  close(): Promise<void>
}

/** A stream without followers, for work outside a running server (the command line). */
export const silentStream: Stream = {
  subscribe: () => () => {},
  replay: async () => [],
  head: async () => null,
  wake: () => {},
  close: async () => {},
}

export const REPLAY_MAX = 500
/** How many events of all workspaces are searched for a workspace's own: some 20 ms. */
const REPLAY_LOOK_MAX = 20_000
const LOOK_MAX = 500
const POLL_MS = 1_000
/** How soon to check again for events withheld by an older transaction; doubles while it runs. */
const WITHHELD_MIN_MS = 10
const WITHHELD_MAX_MS = 160
/** Events withheld for this long get a more thorough check. */
const THOROUGH_FROM_MS = 40
/** A position older than this is dropped while there are no listeners; a new listener then only gets later events. */
const POSITION_KEPT_MS = 5_000
const WAKE_CHANNEL = 'foyer:wake'

type Position = { tx: number; id: number }

type Row = Position & Omit<LiveEvent, 'cursor'> & { isSettled: boolean }

const PART_LENGTH = 11
const CURSOR_PATTERN = /^[0-9a-z]{33}$/

const encodePart = (value: number): string => value.toString(36).padStart(PART_LENGTH, '0')
const encodeCursor = (epoch: Epoch, { tx, id }: Position): string =>
  encodePart(epoch.number) + encodePart(tx) + encodePart(id)

/** Undefined for a cursor of another epoch. */
const decodeCursor = (epoch: Epoch, cursor: string): Position | undefined => {
  if (!CURSOR_PATTERN.test(cursor) || !cursor.startsWith(encodePart(epoch.number))) return undefined
  const tx = Number.parseInt(cursor.slice(PART_LENGTH, 2 * PART_LENGTH), 36)
  const id = Number.parseInt(cursor.slice(2 * PART_LENGTH), 36)
  return Number.isSafeInteger(tx) && Number.isSafeInteger(id) ? { tx, id } : undefined
}

const toEvent = (epoch: Epoch, { tx, id, isSettled: _, ...rest }: Row): LiveEvent => ({
  cursor: encodeCursor(epoch, { tx, id }),
  ...rest,
})

const columns = sql`tx, id, workspace_id as "workspaceId", type, conversation_id as "conversationId",
  contact_id as "contactId", data, created_at as "createdAt"`

/** Older than every transaction still running on the server: nothing can appear before it any more. */
const oldestRunning = sql`pg_snapshot_xmin(pg_current_snapshot())::text::bigint`

/**
 * The same, ignoring transactions known to record no events: those in other databases of the server, and those of
 * other programs, which have neither our name nor the lock that ours start with (db/horizon.ts). A long one, such as
 * an index build, must not hold up ours. A transaction that can't be seen, or has just ended, still counts. Costs a
 * scan of all connections and locks.
 */
const oldestOfOurs = sql`(
  with held as materialized (select pid, locktype, transactionid, mode, objsubid from pg_locks where granted)
  select coalesce(min(x.xid::text::bigint), pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
  from pg_snapshot_xip(pg_current_snapshot()) x(xid)
  where not exists (
    select from held t join pg_stat_activity a on a.pid = t.pid
    where t.locktype = 'transactionid' and t.transactionid = x.xid::xid and t.mode = 'ExclusiveLock'
      and (a.datname <> current_database() or a.application_name <> 'foyer'
        and not exists (select from held o where o.pid = t.pid and o.locktype = 'advisory' and o.objsubid = 2))))`

/** Settled and withheld events after a position, in order; the first withheld one ends what may be delivered. */
const listAfter = async (db: Db, { tx, id }: Position, isThorough: boolean): Promise<Row[]> => {
  const { rows } = await sql<Row>`
    select ${columns}, tx < ${isThorough ? oldestOfOurs : oldestRunning} as "isSettled"
    from events
    where (tx, id) > (${tx}::bigint, ${id}::bigint)
    order by tx, id
    limit ${sql.lit(LOOK_MAX)}`.execute(db)
  return rows
}

/**
 * Where to start: before everything recorded since `since`, and before everything not yet settled. The table is read
 * some time after the listener joined, so "from now on" is interpreted generously.
 */
const findStart = async (db: Db, since: Date): Promise<Position> => {
  const { rows } = await sql<{ tx: number }>`
    select least(${oldestRunning}, (select min(tx) from events where created_at >= ${since})) - 1 as tx`.execute(
    db,
  )
  return { tx: rows[0]!.tx, id: Number.MAX_SAFE_INTEGER }
}

const replayAfter = async (
  db: Db,
  epoch: Epoch,
  {
    workspaceId,
    conversationId,
    cursor,
  }: { workspaceId: string; conversationId: string | null; cursor: string },
): Promise<LiveEvent[] | null> => {
  const position = decodeCursor(epoch, cursor)
  if (!position) return null
  const { rows: found } = await sql<{ isKept: boolean }>`
    select exists (select from events where tx = ${position.tx} and id = ${position.id}) as "isKept"`.execute(
    db,
  )
  // If an event still exists, so do all later ones: they are deleted by age.
  if (!found[0]?.isKept) return null
  if (conversationId === null) return replayWorkspace(db, epoch, workspaceId, position)
  const { rows } = await sql<Row>`
    select ${columns}, true as "isSettled"
    from events
    where workspace_id = ${workspaceId} and conversation_id = ${conversationId}
      and (tx, id) > (${position.tx}::bigint, ${position.id}::bigint) and tx < ${oldestOfOurs}
    order by tx, id
    limit ${sql.lit(REPLAY_MAX + 1)}`.execute(db)
  return rows.length > REPLAY_MAX ? null : rows.map((row) => toEvent(epoch, row))
}

/**
 * There is no index on a workspace's events, because every message would pay for it: all later events are scanned.
 */
const replayWorkspace = async (
  db: Db,
  epoch: Epoch,
  workspaceId: string,
  { tx, id }: Position,
): Promise<LiveEvent[] | null> => {
  const { rows } = await sql<Row & { place: number }>`
    select * from (
      select ${columns}, true as "isSettled", row_number() over (order by tx, id) as place
      from events
      where (tx, id) > (${tx}::bigint, ${id}::bigint) and tx < ${oldestOfOurs}
      order by tx, id
      limit ${sql.lit(REPLAY_LOOK_MAX)}
    ) later
    where "workspaceId" = ${workspaceId} or place = ${sql.lit(REPLAY_LOOK_MAX)}
    order by tx, id
    limit ${sql.lit(REPLAY_MAX + 2)}`.execute(db)
  const own = rows.filter((row) => row.workspaceId === workspaceId)
  if (own.length > REPLAY_MAX || rows.at(-1)?.place === REPLAY_LOOK_MAX) return null
  return own.map(({ place: _, ...row }) => toEvent(epoch, row))
}

const findHead = async (db: Db, epoch: Epoch): Promise<string | null> => {
  const { rows } = await sql<Position>`
    select tx, id from events where tx < ${oldestOfOurs} order by tx desc, id desc limit 1`.execute(db)
  return rows[0] ? encodeCursor(epoch, rows[0]) : null
}

type StreamOptions = {
  db: Db
  log: Pick<FastifyBaseLogger, 'error' | 'warn'>
  now: () => Date
  pollMs?: number
  /** Wakes other processes at once; without it they notice at their next tick. */
  redis?: Redis
}

/**
 * A live stream over the events table. It checks when woken and every `pollMs`, but not while there are no listeners.
 * Listeners must not throw or block.
 */
export const startStream = ({ db, log, now, pollMs = POLL_MS, redis }: StreamOptions): Stream => {
  const listeners = new Map<(event: LiveEvent) => void, (() => void) | undefined>()
  let position: Position | null = null
  let positionMs = 0
  let since = now()
  let looking: Promise<void> | null = null
  let isWoken = false
  let isClosed = false
  let timer: NodeJS.Timeout | undefined
  let withheldMs = WITHHELD_MIN_MS

  const tell = (event: LiveEvent): void => {
    for (const listener of [...listeners.keys()])
      try {
        listener(event)
      } catch (error) {
        log.error({ err: error, type: event.type }, 'a listener of the event stream failed')
      }
  }

  const epoch = watchEpoch(db, () => {
    log.warn({}, 'the database was replaced or restored to an earlier state; all streams restart')
    position = null
    since = now()
    for (const onBreak of [...listeners.values()]) onBreak?.()
  })

  /** One check. Returns how long to wait for the next; 0 for none. */
  const look = async (): Promise<number> => {
    const here = await epoch.current()
    position ??= await findStart(db, since)
    const rows = await listAfter(db, position, withheldMs >= THOROUGH_FROM_MS)
    // A break was detected meanwhile: the rows are from before it.
    if (position === null || !epoch.isStill(here)) return 0
    positionMs = now().getTime()
    for (const row of rows) {
      if (!row.isSettled) {
        const waitMs = withheldMs
        withheldMs = Math.min(withheldMs * 2, WITHHELD_MAX_MS)
        return Math.min(waitMs, pollMs)
      }
      position = { tx: row.tx, id: row.id }
      withheldMs = WITHHELD_MIN_MS
      tell(toEvent(here, row))
    }
    withheldMs = WITHHELD_MIN_MS
    return rows.length === LOOK_MAX ? 0 : pollMs
  }

  const run = async (): Promise<void> => {
    let waitMs = 0
    do {
      isWoken = false
      try {
        waitMs = await look()
      } catch (error) {
        waitMs = pollMs
        epoch.recheck()
        if (!isClosed) log.warn({ err: error }, 'the event stream cannot read the database')
      }
    } while ((isWoken || waitMs === 0) && !isClosed && listeners.size > 0)
    looking = null
    if (!isClosed && listeners.size > 0) timer = setTimeout(start, waitMs)
  }

  const start = (): void => {
    isWoken = true
    if (looking || isClosed || listeners.size === 0) return
    clearTimeout(timer)
    looking = run()
  }

  const others = redis && shareWakes(redis, start)

  return {
    subscribe: (listener, onBreak) => {
      // Subscribing the same function twice makes two subscriptions.
      const own = (event: LiveEvent) => listener(event)
      if (listeners.size === 0) {
        const nowMs = now().getTime()
        if (nowMs - positionMs > POSITION_KEPT_MS) position = null
        since = new Date(nowMs - POSITION_KEPT_MS)
      }
      listeners.set(own, onBreak)
      start()
      return () => {
        listeners.delete(own)
        if (listeners.size === 0) clearTimeout(timer)
      }
    },
    replay: async (workspaceId, conversationId, cursor) =>
      replayAfter(db, await epoch.current(), { workspaceId, conversationId, cursor }),
    head: async () => findHead(db, await epoch.current()),
    wake: () => {
      start()
      void others?.wake()
    },
    close: async () => {
      isClosed = true
      clearTimeout(timer)
      listeners.clear()
      others?.close()
      await looking
    },
  }
}

/** Wakes the other processes through Redis, and is woken by them. */
const shareWakes = (redis: Redis, onWake: () => void) => {
  const subscriber = redis.duplicate()
  subscriber.on('error', () => {})
  subscriber.on('message', onWake)
  subscriber.subscribe(WAKE_CHANNEL).catch(() => {})
  let isPublishing = false
  let publishAgain = false
  let isClosed = false
  return {
    wake: async (): Promise<void> => {
      publishAgain = true
      if (isPublishing) return
      isPublishing = true
      while (publishAgain && !isClosed) {
        publishAgain = false
        // Lost when Redis is down; the others notice at their next tick.
        await redis.publish(WAKE_CHANNEL, '').catch(() => {})
      }
      isPublishing = false
    },
    close: (): void => {
      isClosed = true
      subscriber.disconnect()
    },
  }
}
