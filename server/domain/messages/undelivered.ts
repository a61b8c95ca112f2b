// Recipients whom an email with several of them has not reached.
import type { RejectedRecipient } from '../../../channels/channel.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { record } from '../../platform/events/record.ts'
import { advanceStatus } from './message-status.ts'
import { clearUndelivered, lockRecipients, type SentMessage, setUndelivered } from './undelivered-queries.ts'

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
    // Whoever hears that it has failed reads it again.
    if (!hasFailed) await recordChange(ctx, message)
  })

/** The mail server has accepted the message again, for those whom it had not reached. */
export const markReached = async (ctx: Ctx, messageId: string): Promise<void> => {
  const message = await lockRecipients(ctx, messageId)
  if (!message || message.undelivered.length === 0) return
  await clearUndelivered(ctx, messageId)
  await recordChange(ctx, message)
}

const recordChange = (ctx: Ctx, { id, conversationId, contactId }: SentMessage): Promise<void> =>
  record(ctx, {
    type: 'message.updated',
    conversationId,
    contactId,
    actor: 'system',
    data: { messageId: id, changed: ['undelivered'] },
  })
