import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { record } from '../../platform/events/record.ts'
import { lockConversation } from '../conversations/queries.ts'
import { deleteMessage } from './alter-queries.ts'

/**
 * Removes a message from the thread that the provider refused while its sender was still waiting; the sender gets the
 * error instead. Only failed messages are removed.
 */
export const withdrawMessage = (
  ctx: Ctx,
  { id, conversationId }: { id: string; conversationId: string },
): Promise<boolean> =>
  inTransaction(ctx, async (ctx) => {
    const conversation = await lockConversation(ctx, conversationId)
    if (!conversation || !(await deleteMessage(ctx, { id, conversationId }))) return false
    await record(ctx, {
      type: 'message.removed',
      conversationId,
      contactId: conversation.contactId,
      data: { messageId: id },
    })
    return true
  })
