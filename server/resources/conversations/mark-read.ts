import { type Ctx, inTransaction } from '../../ctx.ts'
import { ApiError } from '../../errors.ts'
import { record } from '../../events/record.ts'
import { addJob } from '../../jobs/add-job.ts'
import { ID_CEILING } from './conversation-rows.ts'
import { markMessagesRead } from './inbox-queries.ts'
import type { Read } from './inbox-schema.ts'
import { lockConversation } from './queries.ts'

/** So many messages of one conversation become read at once. */
const MARKED_MAX = 1_000

/**
 * Somebody has read what the customer wrote, up to and with a message, or all of it. Announced once, however many
 * messages there are, and not at all when there were none; the customer sees it too, where the channel shows such
 * things. Moves nothing in the lists. Throws CONVERSATION_NOT_FOUND.
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
    // Somebody had marked it as unread.
    else if (unreadCount < unreadBefore)
      await record(ctx, {
        type: 'conversation.unread',
        conversationId,
        contactId: conversation.contactId,
        data: { conversationId, unreadCount },
      })
    return { success: true, unreadCount }
  })
