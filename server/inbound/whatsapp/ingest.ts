// From webhooks to the database, many at once. While one transaction runs for a workspace, what comes in meanwhile
// waits and goes into the next one together: under load that is what makes a thousand messages a second, and without
// load nobody waits.
import type { InboundItem } from '../../../channels/channel.ts'
import type { Ctx } from '../../ctx.ts'
import { isDatabaseUnavailable } from '../../http/error-handler.ts'
import { insertLeftovers, leftoverOf } from '../leftovers.ts'
import type { Connected } from './accounts.ts'
import { storeItems } from './store-items.ts'

/** Items of one transaction. */
const BATCH_MAX = 400

export type Routed = { channelAccountId: string; item: InboundItem }

type Waiting = { routed: Routed; done: () => void; fail: (error: unknown) => void }

type Line = { waiting: Waiting[]; isRunning: boolean }

export const makeIngest = (ctxOf: (workspaceId: string) => Ctx) => {
  const lines = new Map<string, Line>()

  const work = async (workspaceId: string, line: Line): Promise<void> => {
    line.isRunning = true
    while (line.waiting.length > 0) {
      const batch = line.waiting.splice(0, BATCH_MAX)
      try {
        await storePiece(
          ctxOf(workspaceId),
          batch.map(({ routed }) => routed),
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
    take: async (connected: Connected, items: readonly InboundItem[]): Promise<void> => {
      const { workspaceId } = connected
      const line = lines.get(workspaceId) ?? { waiting: [], isRunning: false }
      lines.set(workspaceId, line)
      const stored = items.map(
        (item) =>
          new Promise<void>((done, fail) => {
            line.waiting.push({ routed: route(connected, item), done, fail })
          }),
      )
      if (!line.isRunning) void work(workspaceId, line)
      await Promise.all(stored)
    },
  }
}

/** An item for a number that is none of ours stays with the account that it came to, as it is. */
const route = (connected: Connected, item: InboundItem): Routed => {
  const { phoneNumberId } = item.source
  if (phoneNumberId === null) return { channelAccountId: connected.id, item }
  const channelAccountId = connected.byPhoneNumberId.get(phoneNumberId)
  if (channelAccountId) return { channelAccountId, item }
  return {
    channelAccountId: connected.id,
    item: {
      type: 'unknown',
      source: item.source,
      sentAt: item.sentAt,
      reason: 'field',
      raw: JSON.stringify(item),
    },
  }
}

/** All in one transaction; where that fails, in halves, until the one that cannot be stored stands alone and is kept raw. */
const storePiece = async (ctx: Ctx, piece: readonly Routed[]): Promise<void> => {
  try {
    await storeItems(ctx, piece)
  } catch (error) {
    if (isDatabaseUnavailable(error as Error)) throw error
    const [only] = piece
    if (piece.length === 1 && only) {
      ctx.log.error({ err: error, type: only.item.type }, 'an item of a webhook could not be stored')
      await insertLeftovers(ctx, [leftoverOf(only.channelAccountId, 'failed', JSON.stringify(only.item))])
      return
    }
    const middle = Math.ceil(piece.length / 2)
    await storePiece(ctx, piece.slice(0, middle))
    await storePiece(ctx, piece.slice(middle))
  }
}
