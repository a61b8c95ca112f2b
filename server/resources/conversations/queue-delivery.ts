import type { OutboundTemplate } from '../../../channels/channel.ts'
import type { Ctx } from '../../ctx.ts'
import { addJob } from '../../jobs/add-job.ts'
import { insertDelivery } from './delivery-queries.ts'
import type { LockedConversation } from './queries.ts'

/** Has a stored message handed to its provider once the caller's transaction is committed. */
export const queueDelivery = async (
  ctx: Ctx,
  conversation: LockedConversation,
  messageId: string,
  template: OutboundTemplate | null = null,
): Promise<void> => {
  await insertDelivery(ctx, {
    messageId,
    conversationId: conversation.id,
    channelAccountId: conversation.channelAccountId,
    template,
  })
  await addJob(ctx, 'deliver_messages', { workspaceId: ctx.workspaceId, conversationId: conversation.id })
}
