import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import type { MessageStatus } from '../../platform/db/tables.ts'
import { endUndelivered } from '../automation/undelivered.ts'
import { type DeliveryFailure, moveForward } from '../deliveries/move-messages.ts'
import { settleRecipients } from '../recipients/settle-recipients.ts'

/**
 * Moves messages forward: queued → sent → delivered → read, or failed. Steps may be skipped; steps back change nothing.
 * A failed message can only become delivered or read, or also sent if there was never any report
 * (DELIVERY_UNCONFIRMED). A delivered message can no longer fail. `failure` is required with failed and is shown as
 * metadata.error. Returns the ids of those that changed.
 */
export const advanceStatus = (
  ctx: Ctx,
  messageIds: readonly string[],
  status: Exclude<MessageStatus, 'queued'>,
  failure?: DeliveryFailure,
): Promise<string[]> =>
  inTransaction(ctx, async (ctx) => {
    const moved = await moveAlong(ctx, messageIds, status, failure)
    await settleRecipients(
      ctx,
      moved.filter(({ isOfBroadcast }) => isOfBroadcast).map(({ id }) => id),
    )
    return moved.map(({ id }) => id)
  })

/**
 * `moveForward`, and what follows where a flow waits for an answer to a message that failed. One that may have arrived
 * (DELIVERY_UNCONFIRMED) may be answered.
 */
export const moveAlong: typeof moveForward = async (ctx, messageIds, status, failure) => {
  const moved = await moveForward(ctx, messageIds, status, failure)
  const isRefused = status === 'failed' && failure?.code !== 'DELIVERY_UNCONFIRMED'
  if (isRefused)
    await endUndelivered(
      ctx,
      moved.map(({ id }) => id),
    )
  return moved
}
