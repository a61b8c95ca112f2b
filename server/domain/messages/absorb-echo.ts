import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { record } from '../../platform/events/record.ts'
import { lockConversation } from '../conversations/queries.ts'
import { deleteEcho, findEcho } from './echo-queries.ts'
import { advanceStatus } from './message-status.ts'

/**
 * The provider has returned the id of a message of ours. If its echo came first (by another route than the response),
 * the message is also in the thread as someone else's: that copy is removed, and its statuses apply to ours.
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
    // Whatever arrived for it while we waited for the lock counts too.
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
