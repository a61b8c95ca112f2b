import type { OutboundTemplate } from '../../../channels/channel.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { LockedConversation } from '../conversations/queries.ts'
import { insertDelivery } from './delivery-queries.ts'
import { announceDeliveries } from './due-deliveries.ts'

/** Sends a stored message to its provider once the caller's transaction has committed. */
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
  await announceDeliveries(ctx, [
    { channelAccountId: conversation.channelAccountId, conversationId: conversation.id },
  ])
}
