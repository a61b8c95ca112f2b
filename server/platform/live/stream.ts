// Follows the events table live. Events come in the order (tx, id), none before every earlier transaction has ended,
// so that a client resuming from a cursor misses nothing. If the database has been replaced (epoch.ts), all start
// over.
import type { FastifyBaseLogger } from 'fastify'
import type { Redis } from 'ioredis'
import { sql } from 'kysely'
import type { Db } from '../db/pool.ts'
import { watchEpoch } from './epoch.ts'
import { columns, findHead, type LiveEvent, type Row, replayAfter, toEvent } from './replay.ts'
import { listAfter, makePatience, oldestRunning, type Position } from './settled.ts'

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
  /** Calls back at each wake, of other processes too where Redis carries them. The returned function ends that. */
  onWake(waker: () => void): () => void
  close(): Promise<void>
}

/** A stream without followers, for work outside a running server (the command line). */
export const silentStream: Stream = {
  subscribe: () => () => {},
  replay: async () => [],
  head: async () => null,
  wake: () => {},
  onWake: () => () => {},
  close: async () => {},
}

const LOOK_MAX = 500
const POLL_MS = 1_000
/** A position older than this is dropped while there are no listeners; a new listener then only gets later events. */
const POSITION_KEPT_MS = 5_000
const WAKE_CHANNEL = 'foyer:wake'

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
  const patience = makePatience()

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
    const rows = await listAfter<Row>(db, position, {
      columns,
      max: LOOK_MAX,
      isThorough: patience.isThorough(),
    })
    // A break was detected meanwhile: the rows are from before it.
    if (position === null || !epoch.isStill(here)) return 0
    positionMs = now().getTime()
    for (const row of rows) {
      if (!row.isSettled) return Math.min(patience.takeMs(), pollMs)
      position = { tx: row.tx, id: row.id }
      patience.reset()
      tell(toEvent(here, row))
    }
    patience.reset()
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

  const wakes = makeWakes(redis)
  wakes.on(start)

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
    wake: wakes.wake,
    onWake: wakes.on,
    close: async () => {
      isClosed = true
      clearTimeout(timer)
      listeners.clear()
      wakes.close()
      await looking
    },
  }
}

/** Who is woken by a commit in this process and, through Redis, in others. */
const makeWakes = (redis: Redis | undefined) => {
  const wakers = new Set<() => void>()
  const wakeOwn = (): void => {
    for (const waker of wakers) waker()
  }
  const others = redis && shareWakes(redis, wakeOwn)
  return {
    on: (waker: () => void) => {
      wakers.add(waker)
      return (): void => {
        wakers.delete(waker)
      }
    },
    wake: (): void => {
      wakeOwn()
      void others?.wake()
    },
    close: (): void => others?.close(),
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
