import { type Ctx, inTransaction } from '../../ctx.ts'
import { planByIndex } from '../../db/plan-by-index.ts'
import { recordMany } from '../../events/record.ts'
import { addJob } from '../../jobs/add-job.ts'
import {
  ANNOUNCED_EVERY_MS,
  followMessages,
  moveRecipients,
  noteAnnounced,
  type Progress,
} from './recipient-queries.ts'

/**
 * Announces what a change made of broadcasts, as often as progress is told; what is passed over now is told a little
 * later, so that the last of it always comes. In the caller's transaction.
 */
export const announce = async (ctx: Ctx, progress: readonly Progress[]): Promise<void> => {
  await recordMany(
    ctx,
    progress
      .filter(({ isToAnnounce }) => isToAnnounce)
      .map(({ isToAnnounce: _, ...data }) => ({ type: 'broadcast.updated', data })),
  )
  for (const { broadcastId, isToAnnounce } of progress)
    if (!isToAnnounce)
      await addJob(
        ctx,
        'announce_broadcast',
        { workspaceId: ctx.workspaceId, broadcastId },
        { runAt: new Date(ctx.now().getTime() + ANNOUNCED_EVERY_MS) },
      )
}

/** Tells how far a broadcast is that goes on. Its end is announced by the change that makes it. */
export const announceProgress = (ctx: Ctx, broadcastId: string): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const progress = await noteAnnounced(ctx, broadcastId)
    if (progress) await recordMany(ctx, [{ type: 'broadcast.updated', data: progress }])
  })

/**
 * Brings the recipients behind messages of broadcasts to what has become of those, and the broadcasts' counts with them.
 * To be called last in a transaction: everybody who works on a broadcast meets at its row.
 */
export const settleRecipients = (ctx: Ctx, messageIds: readonly string[]): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    if (messageIds.length === 0) return
    await planByIndex(ctx.db)
    await announce(ctx, await followMessages(ctx, messageIds, ctx.channels.whatsapp.optedOutCode))
  })

/** What broadcasts keep of a contact goes to the one that it has become. */
export const mergeRecipients = async (ctx: Ctx, from: string, to: string): Promise<void> =>
  announce(ctx, await moveRecipients(ctx, from, to))
