import { advanceStatus } from '../../domain/messages/message-status.ts'
import { listUnreadUpTo, type Visitor } from '../../domain/visitors/queries.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { invalid } from '../../platform/errors.ts'

/**
 * Marks everything sent to the visitor up to and including that message as seen. Throws VALIDATION_ERROR if it is not
 * a message in one of their conversations.
 */
export const readMessages = async (
  ctx: Ctx,
  { contactId, channelAccountId }: Visitor,
  messageId: string,
): Promise<{ success: true }> => {
  const unread = contactId ? await listUnreadUpTo(ctx, { messageId, contactId, channelAccountId }) : undefined
  if (!unread) throw invalid({ field: 'messageId', message: 'must be a message of your conversation' })
  await advanceStatus(ctx, unread, 'read')
  return { success: true }
}
