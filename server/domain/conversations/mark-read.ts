import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError } from '../../platform/errors.ts'
import { record } from '../../platform/events/record.ts'
import { addJob } from '../../platform/queue/add-job.ts'
import { ID_CEILING } from './conversation-rows.ts'
import { countAsUnread, markMessagesRead } from './inbox-queries.ts'
import type { Read } from './inbox-schema.ts'
import { lockConversation } from './queries.ts'

/** At most this many messages of one conversation are marked as read at once. */
const MARKED_MAX = 1_000

/**
 * Marks what the customer wrote as read, up to and including a message, or all of it. Sends one event, however many
 * messages there are, and none if nothing was unread; the customer gets a read receipt if the channel supports it. Does
 * not reorder the lists. Throws CONVERSATION_NOT_FOUND.
 */
export const markRead = (
  ctx: Ctx,
  { conversationId, upToMessageId }: { conversationId: string; upToMessageId?: string },
): Promise<Read> =>
  inTransaction(ctx, async (ctx) => {
    const conversation = await lockConversation(ctx, conversationId)
    if (!conversation) throw new ApiError('CONVERSATION_NOT_FOUND')
    const { unreadBefore, unreadCount, lastId } = await markMessagesRead(ctx, {
      conversationId,
      upTo: upToMessageId ?? ID_CEILING,
      max: MARKED_MAX,
    })
    if (lastId !== null) {
      await record(ctx, {
        type: 'conversation.read',
        conversationId,
        contactId: conversation.contactId,
        data: { conversationId, messageId: lastId },
      })
      if (ctx.channels[conversation.channel].markRead)
        await addJob(ctx, 'mark_read', {
          workspaceId: ctx.workspaceId,
          channelAccountId: conversation.channelAccountId,
          conversationId,
        })
    }
    // It had been marked as unread.
    else if (unreadCount < unreadBefore)
      await record(ctx, {
        type: 'conversation.unread',
        conversationId,
        contactId: conversation.contactId,
        data: { conversationId, unreadCount },
      })
    return { success: true, unreadCount }
  })

/**
 * Marks a conversation as unread until it is read again. The customer's read receipts stay. Changes nothing if
 * something is unread already. Throws CONVERSATION_NOT_FOUND.
 */
export const markUnread = (ctx: Ctx, { conversationId }: { conversationId: string }): Promise<Read> =>
  inTransaction(ctx, async (ctx) => {
    const conversation = await lockConversation(ctx, conversationId)
    if (!conversation) throw new ApiError('CONVERSATION_NOT_FOUND')
    const { unreadCount, isChanged } = await countAsUnread(ctx, conversationId)
    if (isChanged)
      await record(ctx, {
        type: 'conversation.unread',
        conversationId,
        contactId: conversation.contactId,
        data: { conversationId, unreadCount },
      })
    return { success: true, unreadCount }
  })
