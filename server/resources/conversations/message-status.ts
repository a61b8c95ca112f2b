import { type Ctx, inTransaction } from '../../ctx.ts'
import type { MessageStatus } from '../../db/tables.ts'
import { recordMany } from '../../events/record.ts'
import { settleRecipients } from '../broadcasts/settle-recipients.ts'
import { type DeliveryFailure, type MovedMessage, moveMessages } from './queries.ts'

/** One statement takes them all; a longer list is a caller's mistake. */
const MESSAGES_MAX = 1_000

/**
 * Moves messages forward: queued → sent → delivered → read, or failed. Steps may be skipped; what would be a step back
 * changes nothing. A failed message yields only to delivered and read, and where nothing was ever heard
 * (DELIVERY_UNCONFIRMED) to sent too. What was delivered can no longer fail. `failure` is required with failed and
 * shows as metadata.error. Returns the ids of those that moved.
 */
export const advanceStatus = (
  ctx: Ctx,
  messageIds: readonly string[],
  status: Exclude<MessageStatus, 'queued'>,
  failure?: DeliveryFailure,
): Promise<string[]> =>
  inTransaction(ctx, async (ctx) => {
    const moved = await moveForward(ctx, messageIds, status, failure)
    await settleRecipients(
      ctx,
      moved.filter(({ isOfBroadcast }) => isOfBroadcast).map(({ id }) => id),
    )
    return moved.map(({ id }) => id)
  })

/** The same in the caller's transaction, who sees to the recipients of broadcasts (settleRecipients) as its last act. */
export const moveForward = async (
  ctx: Ctx,
  messageIds: readonly string[],
  status: Exclude<MessageStatus, 'queued'>,
  failure?: DeliveryFailure,
): Promise<MovedMessage[]> => {
  if (messageIds.length === 0) return []
  if (messageIds.length > MESSAGES_MAX) throw new Error(`at most ${MESSAGES_MAX} messages move at once`)
  if ((status === 'failed') !== Boolean(failure)) throw new Error('failed, and only failed, has a failure')
  const moved = await moveMessages(ctx, messageIds, status, failure ?? null)
  await recordMany(
    ctx,
    moved.map(({ id, conversationId, contactId }) => ({
      type: 'message.status',
      conversationId,
      contactId,
      data: { messageId: id, status },
    })),
  )
  return moved
}
