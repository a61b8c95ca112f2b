import type { Ctx } from '../../ctx.ts'
import { invalid } from '../../errors.ts'
import { advanceStatus } from '../conversations/message-status.ts'
import { listUnreadUpTo, type Visitor } from './queries.ts'

/**
 * Everything to the visitor up to and with that message was shown to them. Throws VALIDATION_ERROR when it is not a
 * message of a conversation of theirs.
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
