import { type Ctx, inTransaction } from '../../ctx.ts'
import { ApiError } from '../../errors.ts'
import { record } from '../../events/record.ts'
import { findOutbound } from './delivery-queries.ts'
import { findAttempted, requeueMessage } from './inbox-queries.ts'
import { lockConversation } from './queries.ts'
import { queueDelivery } from './queue-delivery.ts'
import { requireOpenWindow } from './reply-window.ts'
import { requireReachable } from './require-reachable.ts'
import type { Message } from './schema.ts'
import { findMessage } from './thread-queries.ts'

/**
 * Tries a failed message again, as a new delivery. Of two who ask at once one begins it, and both get the message; one
 * that has not failed stays as it is. Throws MESSAGE_NOT_FOUND for what never went out from here, CHANNEL_NOT_SUPPORTED,
 * and what says that the reply window has closed meanwhile (a template goes all the same).
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
      await queueDelivery(ctx, conversation, messageId, template)
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
