// Stores webhook items in the database, many at once. While a transaction runs for a workspace, new items wait and go
// into the next one together: this is what allows a thousand messages a second under load, and without load nothing
// waits. If a person's items can't be stored (their row is locked, or an item is bad), the person is set aside: from
// then on their items have a separate queue and don't hold up anyone else's.
import type { Ctx } from '../platform/ctx/ctx.ts'
import { makeGate } from '../platform/queue/gate.ts'
import { makeBatchStore, type Routed, type StoreOptions, type Waiting } from './store-batch.ts'
import { isOfSurroundings, mayBeOneItems, tryAgain } from './verdict.ts'

/** Items per transaction. */
const BATCH_MAX = 400
/** Concurrent queues of people set aside, per process: each may hold a connection for long. */
const ASIDE_AT_ONCE = 2
/** Beyond this many waiting, providers are told to retry. */
const ASIDE_WAITING_MAX = 50
/** A person stays set aside until an item of theirs is stored, or for this long after the last failure. */
const SUSPECT_MS = 60_000
const SUSPECTS_MAX = 10_000

/** Named after the workspace, or after a person of it who is set aside. */
type Line<I> = { workspaceId: string; waiting: Waiting<I>[] }

type IngestOptions<I> = StoreOptions<I> & {
  ctxOf: (workspaceId: string) => Ctx
  /** Who an item is about, by the provider's id; null if nobody. */
  personOf: (item: I) => string | null
}

const asides = makeGate(ASIDE_AT_ONCE)
let asidesWaiting = 0

export const makeIngest = <I extends { type: string }>(options: IngestOptions<I>) => {
  const { ctxOf, personOf } = options
  const { storeAll, storeGroups, storeEach } = makeBatchStore(options)
  const lines = new Map<string, Line<I>>()
  const suspects = makeSuspects()
  let count = 0

  /**
   * The name of the queue for a person who is, or would be, set aside. Items about nobody are separate from one
   * another.
   */
  const asideOf = (workspaceId: string, { channelAccountId, item }: Routed<I>): string =>
    [workspaceId, channelAccountId, personOf(item) ?? `\n${++count}`].join('\n')

  const enqueue = (name: string, workspaceId: string, more: readonly Waiting<I>[]): void => {
    const line = lines.get(name)
    if (line) for (const one of more) line.waiting.push(one)
    else void work(name, { workspaceId, waiting: [...more] })
  }

  const work = async (name: string, line: Line<I>): Promise<void> => {
    lines.set(name, line)
    while (line.waiting.length > 0) {
      const batch = line.waiting.splice(0, BATCH_MAX)
      try {
        const ctx = ctxOf(line.workspaceId)
        await (name === line.workspaceId ? storeTogether(ctx, line, batch) : storeAside(ctx, name, batch))
      } catch (error) {
        for (const { fail } of batch) fail(error)
      }
    }
    lines.delete(name)
  }

  /** All in one transaction; if that fails, one per person. */
  const storeTogether = async (ctx: Ctx, line: Line<I>, batch: readonly Waiting<I>[]): Promise<void> => {
    try {
      await storeAll(ctx, batch)
    } catch (error) {
      ctx.log.warn({ err: error, items: batch.length }, 'a batch of webhooks was not stored')
      if (!mayBeOneItems(error)) throw tryAgain()
      const groups = Map.groupBy(batch, ({ routed }) => asideOf(line.workspaceId, routed))
      await storeGroups(ctx, groups, (name, members) => setAside(line, name, members))
    }
  }

  /** Includes their later items, so that the order is kept. */
  const setAside = (line: Line<I>, name: string, members: readonly Waiting<I>[]): void => {
    suspects.add(name)
    const isTheirs = ({ routed }: Waiting<I>) =>
      personOf(routed.item) !== null && asideOf(line.workspaceId, routed) === name
    const theirs = line.waiting.filter(isTheirs)
    if (theirs.length > 0) line.waiting = line.waiting.filter((one) => !isTheirs(one))
    enqueue(name, line.workspaceId, [...members, ...theirs])
  }

  /** The items of one person who was set aside. */
  const storeAside = async (ctx: Ctx, name: string, batch: readonly Waiting<I>[]): Promise<void> => {
    if (asidesWaiting >= ASIDE_WAITING_MAX) throw tryAgain()
    asidesWaiting++
    await asides.enter(1)
    asidesWaiting--
    try {
      const failure = await storeEach(ctx, batch)
      if (failure && isOfSurroundings(failure.error)) suspects.add(name)
      else suspects.delete(name)
    } finally {
      asides.leave(1)
    }
  }

  return {
    /**
     * Stores a delivery; it is durable when this returns. Throws SERVICE_UNAVAILABLE if any item was not stored: the
     * whole delivery must be resent.
     */
    take: (workspaceId: string, items: readonly Routed<I>[]): Promise<void> =>
      untilStored(items, (waiting) => {
        const byLine = Map.groupBy(waiting, ({ routed }) => {
          if (suspects.isEmpty()) return workspaceId
          const aside = asideOf(workspaceId, routed)
          return suspects.has(aside) ? aside : workspaceId
        })
        for (const [name, members] of byLine) enqueue(name, workspaceId, members)
      }),
  }
}

/**
 * Starts storing items, and waits for all of them: they may be in different queues. A single promise, because a webhook
 * may have thousands of items.
 */
const untilStored = async <I>(
  items: readonly Routed<I>[],
  start: (waiting: readonly Waiting<I>[]) => void,
): Promise<void> => {
  if (items.length === 0) return
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const left = new Set(items)
  let refused: { error: unknown } | undefined
  const settle = (routed: Routed<I>, failure?: { error: unknown }): void => {
    if (!left.delete(routed)) return
    refused ??= failure
    if (left.size > 0) return
    if (refused) reject(refused.error)
    else resolve()
  }
  start(
    items.map((routed) => ({
      routed,
      done: () => settle(routed),
      fail: (error) => settle(routed, { error }),
    })),
  )
  return promise
}

/** People set aside, the most recent last. */
const makeSuspects = () => {
  const untilMsOf = new Map<string, number>()
  return {
    isEmpty: (): boolean => untilMsOf.size === 0,
    has: (name: string): boolean => {
      const untilMs = untilMsOf.get(name)
      if (untilMs === undefined) return false
      if (untilMs > performance.now()) return true
      untilMsOf.delete(name)
      return false
    },
    add: (name: string): void => {
      untilMsOf.delete(name)
      for (const oldest of untilMsOf.keys()) {
        if (untilMsOf.size < SUSPECTS_MAX) break
        untilMsOf.delete(oldest)
      }
      untilMsOf.set(name, performance.now() + SUSPECT_MS)
    },
    delete: (name: string): void => {
      untilMsOf.delete(name)
    },
  }
}
