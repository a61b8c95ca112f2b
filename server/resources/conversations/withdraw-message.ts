import { type Ctx, inTransaction } from '../../ctx.ts'
import { record } from '../../events/record.ts'
import { deleteMessage } from './alter-queries.ts'
import { lockConversation } from './queries.ts'

/**
 * Takes a message out of the thread that the provider refused while its sender still waits: the sender hears of the
 * refusal instead. Only a failed one goes.
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
