import type { OutboundTemplate } from '../../../channels/channel.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { insertDelivery } from './delivery-queries.ts'
import { announceDeliveries } from './due-deliveries.ts'

/**
 * Sends a stored message to its provider once the caller's transaction has committed. An automated one is withdrawn if a
 * person speaks first.
 */
export const queueDelivery = async (
  ctx: Ctx,
  conversation: { id: string; channelAccountId: string },
  messageId: string,
  { template = null, isAutomated }: { template?: OutboundTemplate | null; isAutomated: boolean },
): Promise<void> => {
  await insertDelivery(ctx, {
    messageId,
    conversationId: conversation.id,
    channelAccountId: conversation.channelAccountId,
    template,
    isAutomated,
  })
  await announceDeliveries(ctx, [
    { channelAccountId: conversation.channelAccountId, conversationId: conversation.id },
  ])
}
