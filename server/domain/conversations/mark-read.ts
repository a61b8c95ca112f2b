import { actorId, isPerson } from '../../platform/ctx/actor.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError } from '../../platform/errors.ts'
import { record } from '../../platform/events/record.ts'
import { addJob } from '../../platform/queue/add-job.ts'
import { ID_CEILING } from './conversation-rows.ts'
import { markMessagesRead } from './inbox-queries.ts'
import type { Read } from './inbox-schema.ts'
import { type LockedConversation, lockConversation } from './queries.ts'
import { noteRead } from './unread.ts'

/** At most this many messages of one conversation are marked as read at once. */
const MARKED_MAX = 1_000

/**
 * Marks what the customer wrote as read, up to and including a message, or all of it: for everyone, and for the person
 * who reads it. Sends one event, however many messages there are, and none if nothing was unread; the customer gets a
 * read receipt if the channel supports it. Does not reorder the lists. Returns what is unread for the person, or for
 * everyone if a program did it. Throws CONVERSATION_NOT_FOUND.
 */
export const markRead = (
  ctx: Ctx,
  { conversationId, upToMessageId }: { conversationId: string; upToMessageId?: string },
): Promise<Read> =>
  inTransaction(ctx, async (ctx) => {
    const conversation = await lockConversation(ctx, conversationId)
    if (!conversation) throw new ApiError('CONVERSATION_NOT_FOUND')
    const upTo = upToMessageId ?? ID_CEILING
    const own = isPerson(ctx.actor) ? await noteOwn(ctx, conversation, upTo) : null
    const { unreadCount, lastId } = await markMessagesRead(ctx, { conversationId, upTo, max: MARKED_MAX })
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
    return { success: true, unreadCount: own ?? unreadCount }
  })

/**
 * Marks a conversation as unread for the person until they read it again; colleagues and the customer's read receipts
 * are not concerned. Throws CONVERSATION_NOT_FOUND.
 */
export const markUnread = (ctx: Ctx, { conversationId }: { conversationId: string }): Promise<Read> =>
  inTransaction(ctx, async (ctx) => {
    const conversation = await lockConversation(ctx, conversationId)
    if (!conversation) throw new ApiError('CONVERSATION_NOT_FOUND')
    return { success: true, unreadCount: await noteOwn(ctx, conversation, null) }
  })

/** For the person's other tabs and devices there is an event. */
const noteOwn = async (
  ctx: Ctx,
  { id: conversationId, contactId }: LockedConversation,
  upTo: string | null,
): Promise<number> => {
  const accountId = actorId(ctx.actor)
  const { unreadCount, isChanged } = await noteRead(ctx, { accountId, conversationId, upTo })
  if (isChanged)
    await record(ctx, {
      type: 'conversation.unread',
      conversationId,
      contactId,
      data: { conversationId, accountId, unreadCount },
    })
  return unreadCount
}
