import { type Ctx, inTransaction } from '../../ctx.ts'
import { ApiError } from '../../errors.ts'
import { record } from '../../events/record.ts'
import { countAsUnread } from './inbox-queries.ts'
import type { Read } from './inbox-schema.ts'
import { lockConversation } from './queries.ts'

/**
 * Somebody wants a conversation to be looked at again: it counts as unread until it is read the next time. What the
 * customer was shown as read stays so. Nothing changes where something is unread anyway. Throws CONVERSATION_NOT_FOUND.
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
