// Follows the events table live. Events come in the order (tx, id), none before every transaction that began earlier
// has ended, so that whoever resumes from a cursor misses nothing.
import type { FastifyBaseLogger } from 'fastify'
import type { Redis } from 'ioredis'
import { sql } from 'kysely'
import type { Db } from '../db/pool.ts'

/** `cursor` is opaque to readers: where to resume. Of two cursors, the later one compares greater as a string. */
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
  /** Calls the listener for every event from now on; the returned function ends that. */
  subscribe(listener: (event: LiveEvent) => void): () => void
  /**
   * The events of a conversation, or with null of the whole workspace, after a cursor; or null when it is unknown, too
   * old, or too much was missed.
   */
  replay(workspaceId: string, conversationId: string | null, cursor: string): Promise<LiveEvent[] | null>
  /** The newest event that may be told, of any workspace: who begins to listen now resumes from there. */
  head(): Promise<string | null>
  /** Events were committed by this process: look now rather than at the next tick. */
  wake(): void
  close(): Promise<void>
}

/** A stream that nobody follows, for work outside a running server (the command line). */
export const silentStream: Stream = {
  subscribe: () => () => {},
  replay: async () => [],
  head: async () => null,
  wake: () => {},
  close: async () => {},
}

export const REPLAY_MAX = 500
/** Events of all workspaces that a workspace's own are looked for among: some 20 ms. */
export const REPLAY_LOOK_MAX = 20_000
const LOOK_MAX = 500
const POLL_MS = 1_000
/** How soon to look again for events withheld by an older transaction; doubles while it runs. */
const WITHHELD_MIN_MS = 10
const WITHHELD_MAX_MS = 160
/** Withheld for so long, events are looked at more thoroughly. */
const THOROUGH_FROM_MS = 40
/** A position older than this is given up while nobody listens; a new listener hears what is younger, at the most. */
const POSITION_KEPT_MS = 5_000
const WAKE_CHANNEL = 'foyer:wake'

type Position = { tx: number; id: number }

type Row = Position & Omit<LiveEvent, 'cursor'> & { isSettled: boolean }

const PART_LENGTH = 11
const CURSOR_PATTERN = /^[0-9a-z]{22}$/

const encodePart = (value: number): string => value.toString(36).padStart(PART_LENGTH, '0')
const encodeCursor = ({ tx, id }: Position): string => encodePart(tx) + encodePart(id)

const decodeCursor = (cursor: string): Position | undefined => {
  if (!CURSOR_PATTERN.test(cursor)) return undefined
  const tx = Number.parseInt(cursor.slice(0, PART_LENGTH), 36)
  const id = Number.parseInt(cursor.slice(PART_LENGTH), 36)
  return Number.isSafeInteger(tx) && Number.isSafeInteger(id) ? { tx, id } : undefined
}

const toEvent = ({ tx, id, isSettled: _, ...rest }: Row): LiveEvent => ({
  cursor: encodeCursor({ tx, id }),
  ...rest,
})

const columns = sql`tx, id, workspace_id as "workspaceId", type, conversation_id as "conversationId",
  contact_id as "contactId", data, created_at as "createdAt"`

/** Older than every transaction that still runs on the server: nothing can appear before it any more. */
const oldestRunning = sql`pg_snapshot_xmin(pg_current_snapshot())::text::bigint`

/**
 * The same without the transactions that are known to run in other databases of the server: a long one there must not
 * hold up ours. One that cannot be seen, or has just ended, still counts. Costs a look at every connection.
 */
const oldestOfOurs = sql`(
  select coalesce(min(x.xid::text::bigint), pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
  from pg_snapshot_xip(pg_current_snapshot()) x(xid)
  where not exists (select from pg_stat_activity a
    where a.backend_xid = x.xid::xid and a.datname <> current_database()))`

/** Settled and withheld events after a position, in order; a withheld one ends what may be told. */
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
 * Where to begin: before everything recorded since `since`, and before everything not yet settled. The table is looked
 * at some time after the listener came, so "from now on" is read generously.
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
  workspaceId: string,
  conversationId: string | null,
  cursor: string,
): Promise<LiveEvent[] | null> => {
  const position = decodeCursor(cursor)
  if (!position) return null
  const { rows: found } = await sql<{ isKept: boolean }>`
    select exists (select from events where tx = ${position.tx} and id = ${position.id}) as "isKept"`.execute(
    db,
  )
  // An event that is kept proves that all later ones are too: they are swept by age.
  if (!found[0]?.isKept) return null
  if (conversationId === null) return replayWorkspace(db, workspaceId, position)
  const { rows } = await sql<Row>`
    select ${columns}, true as "isSettled"
    from events
    where workspace_id = ${workspaceId} and conversation_id = ${conversationId}
      and (tx, id) > (${position.tx}::bigint, ${position.id}::bigint) and tx < ${oldestOfOurs}
    order by tx, id
    limit ${sql.lit(REPLAY_MAX + 1)}`.execute(db)
  return rows.length > REPLAY_MAX ? null : rows.map(toEvent)
}

/** A workspace's events have no index of their own, which every message would pay for: all later ones are looked at. */
const replayWorkspace = async (
  db: Db,
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
  return own.map(({ place: _, ...row }) => toEvent(row))
}

const findHead = async (db: Db): Promise<string | null> => {
  const { rows } = await sql<Position>`
    select tx, id from events where tx < ${oldestOfOurs} order by tx desc, id desc limit 1`.execute(db)
  return rows[0] ? encodeCursor(rows[0]) : null
}

export type StreamOptions = {
  db: Db
  log: Pick<FastifyBaseLogger, 'error' | 'warn'>
  now: () => Date
  pollMs?: number
  /** Tells other processes to look at once. Without it they find out at their next tick. */
  redis?: Redis
}

/**
 * A live stream over the events table. It looks when woken and every `pollMs`, and not at all while nobody listens.
 * Listeners must not throw and must not block.
 */
export const startStream = ({ db, log, now, pollMs = POLL_MS, redis }: StreamOptions): Stream => {
  const listeners = new Set<(event: LiveEvent) => void>()
  let position: Position | null = null
  let positionMs = 0
  let since = now()
  let looking: Promise<void> | null = null
  let isWoken = false
  let isClosed = false
  let timer: NodeJS.Timeout | undefined
  let withheldMs = WITHHELD_MIN_MS

  const tell = (event: LiveEvent): void => {
    for (const listener of [...listeners])
      try {
        listener(event)
      } catch (error) {
        log.error({ err: error, type: event.type }, 'a listener of the event stream failed')
      }
  }

  /** One look. Returns how long to wait for the next, 0 for at once. */
  const look = async (): Promise<number> => {
    position ??= await findStart(db, since)
    const rows = await listAfter(db, position, withheldMs >= THOROUGH_FROM_MS)
    positionMs = now().getTime()
    for (const row of rows) {
      if (!row.isSettled) {
        const waitMs = withheldMs
        withheldMs = Math.min(withheldMs * 2, WITHHELD_MAX_MS)
        return Math.min(waitMs, pollMs)
      }
      position = { tx: row.tx, id: row.id }
      withheldMs = WITHHELD_MIN_MS
      tell(toEvent(row))
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

  let isPublishing = false
  let publishAgain = false
  const publish = async (redis: Redis): Promise<void> => {
    publishAgain = true
    if (isPublishing) return
    isPublishing = true
    while (publishAgain && !isClosed) {
      publishAgain = false
      // Lost when Redis is away; the others find out at their next tick.
      await redis.publish(WAKE_CHANNEL, '').catch(() => {})
    }
    isPublishing = false
  }

  const hearing = redis?.duplicate()
  hearing?.on('error', () => {})
  hearing?.on('message', start)
  hearing?.subscribe(WAKE_CHANNEL).catch(() => {})

  return {
    subscribe: (listener) => {
      // Two subscriptions of one function are two.
      const own = (event: LiveEvent) => listener(event)
      if (listeners.size === 0) {
        const nowMs = now().getTime()
        if (nowMs - positionMs > POSITION_KEPT_MS) position = null
        since = new Date(nowMs - POSITION_KEPT_MS)
      }
      listeners.add(own)
      start()
      return () => {
        listeners.delete(own)
        if (listeners.size === 0) clearTimeout(timer)
      }
    },
    replay: (workspaceId, conversationId, cursor) => replayAfter(db, workspaceId, conversationId, cursor),
    head: () => findHead(db),
    wake: () => {
      start()
      if (redis) void publish(redis)
    },
    close: async () => {
      isClosed = true
      clearTimeout(timer)
      listeners.clear()
      hearing?.disconnect()
      await looking
    },
  }
}
