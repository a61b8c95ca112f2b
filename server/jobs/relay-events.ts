// Passes settled events on to the public feed, in one process at a time. It is woken by commits, and checks every second
// for those of other processes.
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { countComplete } from '../domain/feed/happened-order.ts'
import {
  LostPlace,
  numberEvents,
  type OnNumbered,
  type OnSettled,
  type SettledEvent,
} from '../domain/feed/number-events.ts'
import { findRelayPlace, isEpochOver, type RelayPlace, setRelayEpoch } from '../domain/feed/relay-queries.ts'
import type { SystemDeps } from '../platform/ctx/system-ctx.ts'
import { openLeases } from '../platform/db/leases.ts'
import { type Db, makeDb, makePool } from '../platform/db/pool.ts'
import { deleteRead, type Epoch, startEpochAfter, watchEpoch } from '../platform/live/epoch.ts'
import { type Listed, listAfter, makePatience } from '../platform/live/settled.ts'
import { makePace } from './relay-pace.ts'

const LEASE = 'relay'
const BATCH_MAX = 500
/** Transactions that meet in one conversation are close to each other. */
const LOOK_AHEAD = 100

export type Relay = { stop: () => Promise<void> }

type RelayDeps = Pick<SystemDeps, 'now' | 'stream'> & { log: Pick<SystemDeps['log'], 'error' | 'warn'> }

type Options = { connectionString: string; pollMs: number; onNumbered?: OnNumbered; onSettled?: OnSettled }

export const startRelay = (deps: RelayDeps, options: Options): Relay => {
  const { log } = deps
  const stopping = new AbortController()
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        await relayInTurn(deps, options, stopping.signal)
      } catch (error) {
        if (!(error instanceof LostPlace) && !stopping.signal.aborted)
          log.warn({ err: error }, 'events can’t be passed on to the feed at the moment')
      }
      await delay(options.pollMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }
  const running = run()
  return {
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}

/** Waits for the lease, and relays for as long as it is held. */
const relayInTurn = async (deps: RelayDeps, options: Options, stopping: AbortSignal): Promise<void> => {
  const leases = await openLeases(options.connectionString)
  try {
    const signal = AbortSignal.any([stopping, leases.lost])
    while (!signal.aborted && !(await leases.take(LEASE)))
      await delay(options.pollMs, undefined, { signal }).catch(() => {})
    if (!signal.aborted) await relay(deps, options, signal)
  } finally {
    await leases.close()
  }
}

/**
 * Everything happens on one connection, which is opened before the epoch is checked: if the database is replaced later,
 * the connection breaks. Its name keeps a long batch from holding up live streams (live/settled.ts).
 */
const relay = async (
  deps: RelayDeps,
  { connectionString, pollMs, onNumbered, onSettled }: Options,
  signal: AbortSignal,
): Promise<void> => {
  const pool = makePool({ connectionString, max: 1, applicationName: 'foyer relay' })
  const alarm = makeAlarm(signal)
  const stopWaking = deps.stream.onWake(alarm.ring)
  try {
    await makeDb(pool)
      .connection()
      .execute(async (db) => {
        let place = await takePlace(db)
        const patience = makePatience()
        const pace = makePace()
        while (!signal.aborted) {
          alarm.set()
          const startedMs = performance.now()
          const { events, isWithheld, hasMore } = await listSettled(db, place, patience.isThorough())
          if (events.length > 0) {
            patience.reset()
            place = await numberEvents(db, events, {
              place,
              now: deps.now,
              onNumbered,
              onSettled,
              onError: (error, { type, workspaceId }) =>
                deps.log.error({ err: error, type, workspaceId }, 'an event was left out of the feed'),
            })
          } else if (await isEpochOver(db, place)) throw new LostPlace()
          if (hasMore) continue
          const workMs = performance.now() - startedMs
          await alarm.wait(isWithheld ? Math.min(patience.takeMs(), pollMs) : pollMs)
          if (!isWithheld) patience.reset()
          const waitMs = pace.waitMs(startedMs, workMs, performance.now())
          if (waitMs > 0) await delay(waitMs, undefined, { signal }).catch(() => {})
        }
      })
  } finally {
    stopWaking()
    await pool.end()
  }
}

/** Settled events after a place, and whether others are withheld behind them. */
const listSettled = async (
  db: Db,
  place: RelayPlace,
  isThorough: boolean,
): Promise<{ events: SettledEvent[]; isWithheld: boolean; hasMore: boolean }> => {
  const max = BATCH_MAX + LOOK_AHEAD
  const rows = await listAfter<SettledEvent & Listed>(db, place, { columns, max, isThorough })
  const withheldAt = rows.findIndex(({ isSettled }) => !isSettled)
  const isWithheld = withheldAt !== -1
  const count = Math.min(isWithheld ? withheldAt : rows.length, BATCH_MAX)
  const complete = countComplete(rows, count)
  const events = rows.slice(0, complete === 0 && !isWithheld ? count : complete)
  return { events, isWithheld, hasMore: !isWithheld && events.length < rows.length }
}

const columns = sql`tx, id, workspace_id as "workspaceId", type, conversation_id as "conversationId",
  contact_id as "contactId", data, actor, request_id as "requestId", traceparent, created_at as "createdAt"`

/**
 * Where the relay goes on. In a new epoch, what was passed on is deleted, because later events may sort before it, and
 * it begins with what is left.
 */
const takePlace = async (db: Db): Promise<RelayPlace> => {
  const epoch = await findEpochFor(db, await findRelayPlace(db))
  for (;;) {
    const place = await findRelayPlace(db)
    if (place.epoch === epoch.number) return place
    if (place.epoch !== null) await deleteRead(db, place)
    const start = place.epoch === null ? place : { tx: 0, id: 0 }
    await setRelayEpoch(db, place, { tx: start.tx, id: start.id, epoch: epoch.number })
  }
}

/** The server can't have passed on what it hasn't come to: then it was restored, even if nothing else shows that. */
const findEpochFor = async (db: Db, { tx, epoch: known }: RelayPlace): Promise<Epoch> => {
  const epoch = await watchEpoch(db, () => {}).current()
  return epoch.number === known && tx >= epoch.nextTx ? startEpochAfter(db, epoch) : epoch
}

/** Waits for a time, for a ring, or for the end. A ring since `set` ends the wait at once. */
const makeAlarm = (signal: AbortSignal) => {
  let ring = (): void => {}
  let rung = Promise.resolve()
  return {
    ring: () => ring(),
    set: (): void => {
      rung = new Promise((resolve) => {
        ring = resolve
      })
    },
    wait: async (waitMs: number): Promise<void> => {
      const waiting = new AbortController()
      await Promise.race([
        rung,
        delay(waitMs, undefined, { signal: AbortSignal.any([signal, waiting.signal]) }).catch(() => {}),
      ])
      waiting.abort()
    },
  }
}
