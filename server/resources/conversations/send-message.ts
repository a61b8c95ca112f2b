import { type Actor, actorId, type Ctx, inTransaction } from '../../ctx.ts'
import type { SenderType } from '../../db/tables.ts'
import { ApiError } from '../../errors.ts'
import { appendMessage } from './append-message.ts'
import { type LockedConversation, lockConversation } from './queries.ts'
import { queueDelivery } from './queue-delivery.ts'
import { requireOpenWindow } from './reply-window.ts'
import type { Message } from './schema.ts'

/** People and the API write as agents; what the system sends by itself is automation. */
export const senderTypeOf = ({ type }: Actor): Exclude<SenderType, 'system' | 'customer'> =>
  type === 'token' || type === 'agent' ? 'agent' : 'automation'

/**
 * Sends a message in the conversation, open or closed, without touching its assignment. What is delivered by a provider
 * is stored with its delivery first and goes out after the commit. Throws CONVERSATION_NOT_FOUND,
 * CHANNEL_NOT_SUPPORTED and WHATSAPP_SERVICE_WINDOW_CLOSED.
 */
export const sendMessage = (
  ctx: Ctx,
  { conversationId, body }: { conversationId: string; body: string },
): Promise<Message> =>
  inTransaction(ctx, async (ctx) => {
    const conversation = await lockConversation(ctx, conversationId)
    if (!conversation) throw new ApiError('CONVERSATION_NOT_FOUND')
    return sendIn(ctx, conversation, body)
  })

/** The same in a conversation that the caller's transaction has locked. */
export const sendIn = async (ctx: Ctx, conversation: LockedConversation, body: string): Promise<Message> => {
  const { delivery } = ctx.channels[conversation.channel]
  if (delivery === 'none') throw new ApiError('CHANNEL_NOT_SUPPORTED')
  await requireOpenWindow(ctx, conversation)
  const message = await appendMessage(ctx, {
    conversation,
    senderType: senderTypeOf(ctx.actor),
    senderId: actorId(ctx.actor),
    body,
    status: delivery === 'stored' ? 'sent' : 'queued',
  })
  if (delivery === 'sent') await queueDelivery(ctx, conversation, message.id)
  return message
}
