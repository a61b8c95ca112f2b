import { type Ctx, inTransaction } from '../../ctx.ts'
import { record } from '../../events/record.ts'
import { deleteEcho, findEcho } from './echo-queries.ts'
import { advanceStatus } from './message-status.ts'
import { lockConversation } from './queries.ts'

/**
 * The provider has said what id it gave a message of ours. Where it had handed that message back before (an echo comes by
 * another way than the answer), it stands in the thread as somebody else's: that copy goes, and what was heard of it
 * counts for ours.
 */
export const absorbEcho = (
  ctx: Ctx,
  {
    messageId,
    channelAccountId,
    externalId,
  }: { messageId: string; channelAccountId: string; externalId: string },
): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const known = await findEcho(ctx, { channelAccountId, externalId })
    const conversation =
      known && known.id !== messageId && (await lockConversation(ctx, known.conversationId))
    if (!conversation) return
    // What came of it while we waited for the lock counts too.
    const echo = await findEcho(ctx, { channelAccountId, externalId })
    if (!echo) return
    await deleteEcho(ctx, echo)
    await advanceStatus(ctx, [messageId], echo.status)
    await record(ctx, {
      type: 'message.removed',
      conversationId: echo.conversationId,
      contactId: conversation.contactId,
      data: { messageId: echo.id },
    })
  })
