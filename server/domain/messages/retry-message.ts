import { isPerson } from '../../platform/ctx/actor.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError } from '../../platform/errors.ts'
import { record } from '../../platform/events/record.ts'
import { findAttempted, requeueMessage } from '../conversations/inbox-queries.ts'
import { lockConversation } from '../conversations/queries.ts'
import { requireOpenWindow } from '../conversations/reply-window.ts'
import { requireReachable } from '../conversations/require-reachable.ts'
import type { Message } from '../conversations/schema.ts'
import { findMessage } from '../conversations/thread-queries.ts'
import { findOutbound } from '../deliveries/delivery-queries.ts'
import { queueDelivery } from '../deliveries/queue-delivery.ts'
import { speakAsPerson } from './append-message.ts'

/**
 * Retries a failed message, as a new delivery. Of two concurrent requests one starts it, and both get the message; a
 * message that has not failed stays as it is. A person who retries it speaks, whoever wrote it. Throws
 * MESSAGE_NOT_FOUND for a message not sent from here, CHANNEL_NOT_SUPPORTED, and the error for a closed reply window
 * (templates are exempt).
 */
export const retryMessage = (ctx: Ctx, { messageId }: { messageId: string }): Promise<Message> =>
  inTransaction(ctx, async (ctx) => {
    const attempted = await findAttempted(ctx, messageId)
    const conversation = attempted && (await lockConversation(ctx, attempted.conversationId))
    if (!conversation || !attempted.isOutbound) throw new ApiError('MESSAGE_NOT_FOUND')
    if (ctx.channels[conversation.channel].delivery !== 'sent') throw new ApiError('CHANNEL_NOT_SUPPORTED')
    if (await requeueMessage(ctx, messageId)) {
      const template = (await findOutbound(ctx, messageId))?.template ?? null
      await requireReachable(ctx, conversation)
      if (!template) await requireOpenWindow(ctx, conversation)
      if (isPerson(ctx.actor)) await speakAsPerson(ctx, conversation)
      await queueDelivery(ctx, conversation, messageId, {
        template,
        isAutomated: attempted.isAutomated && !isPerson(ctx.actor),
      })
      await record(ctx, {
        type: 'message.status',
        conversationId: conversation.id,
        contactId: conversation.contactId,
        data: { messageId, status: 'queued' },
      })
    }
    const message = await findMessage(ctx, messageId)
    if (!message) throw new Error(`message ${messageId} was there and is not`)
    return message
  })
