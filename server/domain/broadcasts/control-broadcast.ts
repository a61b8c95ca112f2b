// What people do about a broadcast that has not ended: pause it, go on with it, cancel it.
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError } from '../../platform/errors.ts'
import { addJob } from '../../platform/queue/add-job.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { findResults, listPartAccounts, setCanceled, setPaused } from './plan-queries.ts'
import { findBroadcast } from './queries.ts'
import type { Broadcast, BroadcastResults } from './schema.ts'

const AUDITED = {
  pause: 'broadcast.paused',
  resume: 'broadcast.resumed',
  cancel: 'broadcast.canceled',
} as const

/**
 * No message is taken up after the commit, until it is resumed; those that a worker has taken up go out. Canceling skips
 * everyone who was not reached. Changes nothing if the broadcast has ended or is in that state already. Throws
 * BROADCAST_NOT_FOUND.
 */
export const controlBroadcast = (
  ctx: Ctx,
  { broadcastId, verb }: { broadcastId: string; verb: keyof typeof AUDITED },
): Promise<Broadcast> =>
  inTransaction(ctx, async (ctx) => {
    const before = await findBroadcast(ctx, broadcastId)
    if (!before) throw new ApiError('BROADCAST_NOT_FOUND')
    const isChanged = await (verb === 'cancel'
      ? setCanceled(ctx, broadcastId)
      : setPaused(ctx, broadcastId, verb === 'pause'))
    if (!isChanged) return before
    if (verb !== 'pause')
      for (const channelAccountId of await listPartAccounts(ctx, broadcastId))
        await addJob(ctx, 'run_broadcast', { workspaceId: ctx.workspaceId, broadcastId, channelAccountId })
    await recordAudit(ctx, {
      action: AUDITED[verb],
      target: { type: 'broadcast', id: broadcastId, name: before.name ?? before.templateName },
    })
    return (await findBroadcast(ctx, broadcastId))!
  })

/** Throws BROADCAST_NOT_FOUND. */
export const getBroadcastResults = async (ctx: Ctx, broadcastId: string): Promise<BroadcastResults> => {
  if (!(await findBroadcast(ctx, broadcastId))) throw new ApiError('BROADCAST_NOT_FOUND')
  return findResults(ctx, broadcastId)
}
