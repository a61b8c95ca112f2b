import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { record } from '../../platform/events/record.ts'
import { withdrawLeft } from '../automation/interrupt.ts'
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

/** Removes the messages of the conversation that a person has overtaken before they could be sent. */
export const withdrawOvertaken = (ctx: Ctx, conversationId: string): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    if (await lockConversation(ctx, conversationId)) await withdrawLeft(ctx, conversationId)
  })
