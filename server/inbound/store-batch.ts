// Stores webhook items in the database: many in one transaction, and each alone where that fails.
import { sql } from 'kysely'
import { type Ctx, inTransaction } from '../platform/ctx/ctx.ts'
import { keepLeftover } from './leftovers/keep-leftover.ts'
import { leftoverOf } from './leftovers/queries.ts'
import { isBadValue, isOfSurroundings, makeRetryPeriod, tryAgain } from './verdict.ts'

/** How long a batch waits for a locked row. */
const LOCK_WAIT_MS = 1_000
/** The same once a locked row is known, per group of the batch. */
const LOCK_WAIT_APART_MS = 250
/** Groups of such a batch stored concurrently. */
const APART_AT_ONCE = 3
/** If this many groups fail in a row and none succeeds, the cause is not theirs. */
const FAILED_MIN = 8

/** An item from a webhook, and the channel account it belongs to. */
export type Routed<I> = { channelAccountId: string; item: I }

export type Waiting<I> = { routed: Routed<I>; done: () => void; fail: (error: unknown) => void }

export type StoreOptions<I> = {
  /** Stores items in one transaction; those already stored change nothing. */
  store: (ctx: Ctx, routed: readonly Routed<I>[]) => Promise<void>
  /** Whether the provider redelivers after a response other than 200. If not, we keep the item and retry. */
  redelivers: boolean
}

export const makeBatchStore = <I extends { type: string }>({ store, redelivers }: StoreOptions<I>) => {
  const retryPeriod = makeRetryPeriod(() => performance.now())

  /** All in one transaction. Throws if that fails; they are waiting still. */
  const storeAll = async (
    ctx: Ctx,
    batch: readonly Waiting<I>[],
    lockWaitMs = LOCK_WAIT_MS,
  ): Promise<void> => {
    await inTransaction(ctx, async (ctx) => {
      await sql`select set_config('lock_timeout', ${String(lockWaitMs)}, true)`.execute(ctx.db)
      await store(
        ctx,
        batch.map(({ routed }) => routed),
      )
    })
    for (const { done } of batch) done()
  }

  /** One transaction for each group, a few at a time. Those that fail are passed on, still waiting. */
  const storeGroups = async (
    ctx: Ctx,
    groups: Iterable<[string, Waiting<I>[]]>,
    onFailed: (name: string, members: readonly Waiting<I>[]) => void,
  ): Promise<void> => {
    const left = [...groups]
    let failed = 0
    let isAnyStored = false
    const storeNext = async (): Promise<void> => {
      for (let next = left.shift(); next; next = left.shift()) {
        const [name, members] = next
        if (!isAnyStored && failed >= FAILED_MIN) {
          for (const { fail } of members) fail(tryAgain())
          continue
        }
        try {
          await storeAll(ctx, members, LOCK_WAIT_APART_MS)
          isAnyStored = true
        } catch {
          failed++
          onFailed(name, members)
        }
      }
    }
    await Promise.all(Array.from({ length: APART_AT_ONCE }, storeNext))
  }

  /** The item alone: only then can it be judged. */
  const storeAlone = async (ctx: Ctx, one: Waiting<I>): Promise<Failure> => {
    const attempt = () => failureOf(() => storeAll(ctx, [one]))
    let failure = await attempt()
    if (failure && isBadValue(failure.error)) failure = await attempt()
    if (failure) await refuse(ctx, one, failure.error)
    return failure
  }

  /** The provider has to redeliver it, unless it is bad or would not be redelivered: then we keep it and retry. */
  const refuse = async (ctx: Ctx, one: Waiting<I>, error: unknown): Promise<void> => {
    const { channelAccountId, item } = one.routed
    ctx.log.error({ err: error, type: item.type }, 'an item of a webhook could not be stored')
    const leftover = leftoverOf(channelAccountId, 'failed', JSON.stringify(item), { replay: 'item', error })
    const isToKeep = isBadValue(error) || !redelivers || retryPeriod.isOver(leftover.hash, error)
    const failure = isToKeep ? await failureOf(() => keepLeftover(ctx, leftover)) : undefined
    if (failure === null) one.done()
    else one.fail(tryAgain())
  }

  return {
    storeAll,
    storeGroups,
    /** All in one transaction; if that fails, one by one. Returns the last failure. */
    storeEach: async (ctx: Ctx, batch: readonly Waiting<I>[]): Promise<Failure> => {
      let failure = await failureOf(() => storeAll(ctx, batch))
      if (failure === null) return null
      // A problem with our environment affects the rest of them too.
      for (const one of batch)
        if (isOfSurroundings(failure.error)) await refuse(ctx, one, failure.error)
        else failure = (await storeAlone(ctx, one)) ?? failure
      return failure
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
