import { DEFINITIONS } from '../../../channels/definitions.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { ChannelName } from '../../platform/db/tables.ts'
import { addJob } from '../../platform/queue/add-job.ts'
import { listChannelAccounts } from './queries.ts'

/** Assigns an account the webhooks that arrived for it through other accounts of its kind before it was connected. */
export const queueAdoption = async (
  ctx: Ctx,
  { id, channel }: { id: string; channel: ChannelName },
): Promise<void> => {
  if (!DEFINITIONS[channel].sharedWebhook) return
  const accounts = await listChannelAccounts(ctx, channel)
  if (accounts.length > 1)
    await addJob(ctx, 'adopt_leftovers', { workspaceId: ctx.workspaceId, channelAccountId: id })
}
