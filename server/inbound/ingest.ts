// Stores webhook items in the database, many at once. While a transaction runs for a workspace, new items wait and go
// into the next one together: this is what allows a thousand messages a second under load, and without load nothing
// waits. If a person's items can't be stored (their row is locked, or an item is bad), the person is set aside: from
// then on their items have a separate queue and don't hold up anyone else's.
import { sql } from 'kysely'
import { type Ctx, inTransaction } from '../platform/ctx/ctx.ts'
import { makeGate } from '../platform/queue/gate.ts'
import { keepLeftover } from './leftovers/keep-leftover.ts'
import { leftoverOf } from './leftovers/queries.ts'
import { isBadValue, isOfSurroundings, makeRetryPeriod, mayBeOneItems, tryAgain } from './verdict.ts'

/** Items per transaction. */
const BATCH_MAX = 400
/** How long a batch waits for a locked row. */
const LOCK_WAIT_MS = 1_000
/** The same once a locked row is known, per person of the batch. */
const LOCK_WAIT_APART_MS = 250
/** People of such a batch processed concurrently. */
const APART_AT_ONCE = 3
/** If this many people fail in a row and none succeeds, the cause is not theirs. */
const SUSPECTS_MIN = 8
/** Concurrent queues of people set aside, per process: each may hold a connection for long. */
const ASIDE_AT_ONCE = 2
/** Beyond this many waiting, providers are told to retry. */
const ASIDE_WAITING_MAX = 50
/** A person stays set aside until an item of theirs is stored, or for this long after the last failure. */
const SUSPECT_MS = 60_000
const SUSPECTS_MAX = 10_000

/** An item from a webhook, and the channel account it belongs to. */
export type Routed<I> = { channelAccountId: string; item: I }

type Waiting<I> = { routed: Routed<I>; done: () => void; fail: (error: unknown) => void }

type Line<I> = { workspaceId: string; isAside: boolean; waiting: Waiting<I>[]; isRunning: boolean }

export type IngestOptions<I> = {
  ctxOf: (workspaceId: string) => Ctx
  /** Stores items in one transaction; those already stored change nothing. */
  store: (ctx: Ctx, routed: readonly Routed<I>[]) => Promise<void>
  /** Who an item is about, by the provider's id; null if nobody. */
  personOf: (item: I) => string | null
  /** Whether the provider redelivers after a response other than 200. If not, we keep the item and retry. */
  redelivers: boolean
}

const asides = makeGate(ASIDE_AT_ONCE)
let asidesWaiting = 0

export const makeIngest = <I extends { type: string }>(options: IngestOptions<I>) => {
  const { ctxOf, personOf } = options
  const lines = new Map<string, Line<I>>()
  const suspects = new Map<string, number>()
  const patience = makeRetryPeriod(() => performance.now())
  let count = 0

  /**
   * The name of the queue for a person who is, or would be, set aside. Items about nobody are separate from one
   * another.
   */
  const asideOf = (workspaceId: string, { channelAccountId, item }: Routed<I>): string =>
    [workspaceId, channelAccountId, personOf(item) ?? `\n${++count}`].join('\n')

  const isSuspect = (name: string): boolean => {
    const untilMs = suspects.get(name)
    if (untilMs === undefined) return false
    if (untilMs > performance.now()) return true
    suspects.delete(name)
    return false
  }

  const suspect = (name: string): void => {
    suspects.delete(name)
    for (const oldest of suspects.keys()) {
      if (suspects.size < SUSPECTS_MAX) break
      suspects.delete(oldest)
    }
    suspects.set(name, performance.now() + SUSPECT_MS)
  }

  const enqueue = (
    name: string,
    workspaceId: string,
    isAside: boolean,
    more: readonly Waiting<I>[],
  ): void => {
    const line = lines.get(name) ?? { workspaceId, isAside, waiting: [], isRunning: false }
    lines.set(name, line)
    for (const one of more) line.waiting.push(one)
    if (!line.isRunning) void work(name, line)
  }

  const work = async (name: string, line: Line<I>): Promise<void> => {
    line.isRunning = true
    while (line.waiting.length > 0) {
      const batch = line.waiting.splice(0, BATCH_MAX)
      try {
        await (line.isAside ? storeAside(name, line, batch) : storeTogether(line, batch))
      } catch (error) {
        for (const { fail } of batch) fail(error)
      }
    }
    lines.delete(name)
  }

  const storeAll = (ctx: Ctx, batch: readonly Waiting<I>[], lockWaitMs: number): Promise<void> =>
    inTransaction(ctx, async (ctx) => {
      await sql`select set_config('lock_timeout', ${String(lockWaitMs)}, true)`.execute(ctx.db)
      await options.store(
        ctx,
        batch.map(({ routed }) => routed),
      )
    })

  /** All in one transaction; if that fails, one per person. */
  const storeTogether = async (line: Line<I>, batch: readonly Waiting<I>[]): Promise<void> => {
    const ctx = ctxOf(line.workspaceId)
    try {
      await storeAll(ctx, batch, LOCK_WAIT_MS)
      for (const { done } of batch) done()
      return
    } catch (error) {
      ctx.log.warn({ err: error, items: batch.length }, 'a batch of webhooks was not stored')
      if (!mayBeOneItems(error)) throw tryAgain()
    }
    await storeApart(line, ctx, batch)
  }

  const storeApart = async (line: Line<I>, ctx: Ctx, batch: readonly Waiting<I>[]): Promise<void> => {
    const groups = [...Map.groupBy(batch, ({ routed }) => asideOf(line.workspaceId, routed))]
    let failed = 0
    let isAnyStored = false
    const storeNext = async (): Promise<void> => {
      for (let next = groups.shift(); next; next = groups.shift()) {
        const [name, members] = next
        if (!isAnyStored && failed >= SUSPECTS_MIN) {
          for (const { fail } of members) fail(tryAgain())
          continue
        }
        try {
          await storeAll(ctx, members, LOCK_WAIT_APART_MS)
          isAnyStored = true
          for (const { done } of members) done()
        } catch {
          failed++
          setAside(line, name, members)
        }
      }
    }
    await Promise.all(Array.from({ length: APART_AT_ONCE }, storeNext))
  }

  /** Includes their later items, so that the order is kept. */
  const setAside = (line: Line<I>, name: string, members: readonly Waiting<I>[]): void => {
    suspect(name)
    const isTheirs = ({ routed }: Waiting<I>) =>
      personOf(routed.item) !== null && asideOf(line.workspaceId, routed) === name
    const theirs = line.waiting.filter(isTheirs)
    if (theirs.length > 0) line.waiting = line.waiting.filter((one) => !isTheirs(one))
    enqueue(name, line.workspaceId, true, [...members, ...theirs])
  }

  /** The items of one person who was set aside: together, and if that fails one by one. */
  const storeAside = async (name: string, line: Line<I>, batch: readonly Waiting<I>[]): Promise<void> => {
    if (asidesWaiting >= ASIDE_WAITING_MAX) throw tryAgain()
    asidesWaiting++
    await asides.enter(1)
    asidesWaiting--
    try {
      const ctx = ctxOf(line.workspaceId)
      let failure = await failureOf(() => storeAll(ctx, batch, LOCK_WAIT_MS))
      if (failure === null) {
        for (const { done } of batch) done()
        suspects.delete(name)
        return
      }
      // A problem with our environment affects the rest of them too.
      for (const one of batch)
        if (isOfSurroundings(failure.error)) await refuse(ctx, one, failure.error)
        else failure = (await storeAlone(ctx, one)) ?? failure
      if (isOfSurroundings(failure.error)) suspect(name)
      else suspects.delete(name)
    } finally {
      asides.leave(1)
    }
  }

  /** The item alone: only then can it be judged. */
  const storeAlone = async (ctx: Ctx, one: Waiting<I>): Promise<Failure> => {
    const attempt = () => failureOf(() => storeAll(ctx, [one], LOCK_WAIT_MS))
    let failure = await attempt()
    if (failure && isBadValue(failure.error)) failure = await attempt()
    if (failure) await refuse(ctx, one, failure.error)
    else one.done()
    return failure
  }

  /** The provider has to redeliver it, unless it is bad or would not be redelivered: then we keep it and retry. */
  const refuse = async (ctx: Ctx, one: Waiting<I>, error: unknown): Promise<void> => {
    const { channelAccountId, item } = one.routed
    ctx.log.error({ err: error, type: item.type }, 'an item of a webhook could not be stored')
    const leftover = leftoverOf(channelAccountId, 'failed', JSON.stringify(item), { replay: 'item', error })
    const isToKeep = isBadValue(error) || !options.redelivers || patience.isOver(leftover.hash, error)
    const failure = isToKeep ? await failureOf(() => keepLeftover(ctx, leftover)) : undefined
    if (failure === null) one.done()
    else one.fail(tryAgain())
  }

  return {
    /**
     * Stores a delivery; it is durable when this returns. Throws SERVICE_UNAVAILABLE if any item was not stored: the
     * whole delivery must be resent.
     */
    take: async (workspaceId: string, items: readonly Routed<I>[]): Promise<void> => {
      if (items.length === 0) return
      // The queues are independent, and each is awaited.
      await new Promise<void>((resolve, reject) => {
        const left = new Set(items)
        let refused: Failure = null
        const settle = (routed: Routed<I>, failure: Failure): void => {
          if (!left.delete(routed)) return
          refused ??= failure
          if (left.size > 0) return
          if (refused) reject(refused.error)
          else resolve()
        }
        const byLine = new Map<string, Waiting<I>[]>()
        for (const routed of items) {
          const aside = suspects.size > 0 ? asideOf(workspaceId, routed) : ''
          const name = isSuspect(aside) ? aside : workspaceId
          const waiting = byLine.get(name) ?? []
          byLine.set(name, waiting)
          waiting.push({
            routed,
            done: () => settle(routed, null),
            fail: (error) => settle(routed, { error }),
          })
        }
        for (const [name, waiting] of byLine) enqueue(name, workspaceId, name !== workspaceId, waiting)
      })
    },
  }
}

type Failure = { error: unknown } | null

const failureOf = async (work: () => Promise<void>): Promise<Failure> => {
  try {
    await work()
    return null
  } catch (error) {
    return { error }
  }
}
