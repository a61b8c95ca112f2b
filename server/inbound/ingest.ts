// From webhooks to the database, many at once. While one transaction runs for a workspace, what comes in meanwhile
// waits and goes into the next one together: under load that is what makes a thousand messages a second, and without
// load nobody waits.
import type { Ctx } from '../ctx.ts'
import { isDatabaseUnavailable } from '../http/error-handler.ts'
import { insertLeftovers, leftoverOf } from './leftovers.ts'

/** Items of one transaction. */
const BATCH_MAX = 400

/** Something that a webhook brought, and the channel account that it belongs to. */
export type Routed<I> = { channelAccountId: string; item: I }

type Store<I> = (ctx: Ctx, routed: readonly Routed<I>[]) => Promise<void>

type Waiting<I> = { routed: Routed<I>; done: () => void; fail: (error: unknown) => void }

type Line<I> = { waiting: Waiting<I>[]; isRunning: boolean }

export const makeIngest = <I extends { type: string }>(
  ctxOf: (workspaceId: string) => Ctx,
  store: Store<I>,
) => {
  const lines = new Map<string, Line<I>>()

  const work = async (workspaceId: string, line: Line<I>): Promise<void> => {
    line.isRunning = true
    while (line.waiting.length > 0) {
      const batch = line.waiting.splice(0, BATCH_MAX)
      try {
        await storePiece(
          ctxOf(workspaceId),
          batch.map(({ routed }) => routed),
          store,
        )
        for (const { done } of batch) done()
      } catch (error) {
        for (const { fail } of batch) fail(error)
      }
    }
    lines.delete(workspaceId)
  }

  return {
    /** Stores what a delivery brought; it is durable when this returns. Throws only where it could not be kept at all. */
    take: async (workspaceId: string, items: readonly Routed<I>[]): Promise<void> => {
      const line = lines.get(workspaceId) ?? { waiting: [], isRunning: false }
      lines.set(workspaceId, line)
      const stored = items.map(
        (routed) =>
          new Promise<void>((done, fail) => {
            line.waiting.push({ routed, done, fail })
          }),
      )
      if (!line.isRunning) void work(workspaceId, line)
      await Promise.all(stored)
    },
  }
}

/** All in one transaction; where that fails, in halves, until the one that cannot be stored stands alone and is kept raw. */
const storePiece = async <I extends { type: string }>(
  ctx: Ctx,
  piece: readonly Routed<I>[],
  store: Store<I>,
): Promise<void> => {
  try {
    await store(ctx, piece)
  } catch (error) {
    if (isDatabaseUnavailable(error as Error)) throw error
    const [only] = piece
    if (piece.length === 1 && only) {
      ctx.log.error({ err: error, type: only.item.type }, 'an item of a webhook could not be stored')
      await insertLeftovers(ctx, [leftoverOf(only.channelAccountId, 'failed', JSON.stringify(only.item))])
      return
    }
    const middle = Math.ceil(piece.length / 2)
    await storePiece(ctx, piece.slice(0, middle), store)
    await storePiece(ctx, piece.slice(middle), store)
  }
}
