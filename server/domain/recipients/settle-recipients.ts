import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { planByIndex } from '../../platform/db/plan-by-index.ts'
import { record } from '../../platform/events/record.ts'
import { addJob } from '../../platform/queue/add-job.ts'
import {
  ANNOUNCED_EVERY_MS,
  followMessages,
  lockRecipients,
  markAnnounced,
  type Progress,
} from './recipient-queries.ts'
import { lockSending, recount } from './recount-queries.ts'

/**
 * Announces changes in broadcasts, no more often than progress may be announced; anything skipped now is announced a
 * little later, so that the last update is never lost. Call in the caller's transaction.
 */
export const announce = async (ctx: Ctx, progress: readonly Progress[]): Promise<void> => {
  await record(
    ctx,
    progress
      .filter(({ isToAnnounce }) => isToAnnounce)
      .map(({ isToAnnounce: _, ...data }) => ({ type: 'broadcast.updated', data })),
  )
  await addJob(
    ctx,
    'announce_broadcast',
    progress
      .filter(({ isToAnnounce }) => !isToAnnounce)
      .map(({ broadcastId }) => ({ workspaceId: ctx.workspaceId, broadcastId })),
    { runAt: new Date(ctx.now().getTime() + ANNOUNCED_EVERY_MS) },
  )
}

/** Announces the progress of a running broadcast. Its end is announced by the change that causes it. */
export const announceProgress = (ctx: Ctx, broadcastId: string): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const progress = await markAnnounced(ctx, broadcastId)
    if (progress) await record(ctx, { type: 'broadcast.updated', data: progress })
  })

/**
 * Updates the recipients of broadcast messages to match those, and the broadcasts' counts with them. Call last in a
 * transaction: everyone working on a broadcast contends for its row.
 */
export const settleRecipients = (ctx: Ctx, messageIds: readonly string[]): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    if (messageIds.length === 0) return
    await planByIndex(ctx.db)
    await lockRecipients(ctx, messageIds)
    await announce(ctx, await followMessages(ctx, messageIds, ctx.channels.whatsapp.optedOutCode))
  })

/** Recomputes the counts of a broadcast without open recipients, which ends it. */
export const recountBroadcast = (ctx: Ctx, broadcastId: string): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    if (!(await lockSending(ctx, broadcastId))) return
    const progress = await recount(ctx, broadcastId)
    if (progress) await record(ctx, { type: 'broadcast.updated', data: progress })
  })
