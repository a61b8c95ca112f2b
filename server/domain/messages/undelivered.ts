// Recipients whom an email with several of them has not reached.
import type { RejectedRecipient } from '../../../channels/channel.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { record } from '../../platform/events/record.ts'
import { advanceStatus } from './message-status.ts'
import { clearUndelivered, lockRecipients, setUndelivered } from './undelivered-queries.ts'

/**
 * Notes in `metadata.undelivered` whom the message has not reached. It has failed once nobody in To got it; until then
 * its status stays, and a retry is sent to these only.
 */
export const markUndelivered = (
  ctx: Ctx,
  messageId: string,
  failures: readonly RejectedRecipient[],
): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const message = await lockRecipients(ctx, messageId)
    if (!message || failures.length === 0) return
    const named = new Set(failures.map(({ address }) => address))
    const all = [...message.undelivered.filter(({ address }) => !named.has(address)), ...failures]
    await setUndelivered(ctx, messageId, all)
    const unreached = new Set(all.map(({ address }) => address))
    const [{ code, message: reason }] = failures as [RejectedRecipient, ...RejectedRecipient[]]
    const hasFailed =
      message.to.every((address) => unreached.has(address)) &&
      (await advanceStatus(ctx, [messageId], 'failed', { code, message: reason })).length > 0
    if (hasFailed) return
    const { conversationId, contactId, status } = message
    await record(ctx, {
      type: 'message.status',
      conversationId,
      contactId,
      actor: 'system',
      data: { messageId, status },
    })
  })

/** The mail server has accepted the message again, for those whom it had not reached. */
export const markReached = (ctx: Ctx, messageId: string): Promise<void> => clearUndelivered(ctx, messageId)
