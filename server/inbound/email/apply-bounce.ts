import { advanceStatus } from '../../domain/messages/message-status.ts'
import { markUndelivered } from '../../domain/messages/undelivered.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { findReported, type MailReport } from './find-reported.ts'

type BounceInput = MailReport & { status: string; message: string }

/**
 * Marks the message that a bounce is about as failed, unless it is waiting to be resent: the report is then about the
 * previous attempt. Of a message with several recipients, those that the bounce names are marked as undelivered; it has
 * failed once nobody in To got it. Returns the ids of the messages it is about.
 */
export const applyBounce = (ctx: Ctx, bounce: BounceInput): Promise<string[]> =>
  inTransaction(ctx, async (ctx) => {
    const failure = { code: bounce.status, message: bounce.message }
    const bounced = await findReported(ctx, bounce, { anyRecipient: true })
    const failed: string[] = []
    for (const { id, status, recipients } of bounced) {
      if (status === 'queued') continue
      const undelivered = recipients.filter((address) => bounce.recipients.includes(address))
      if (undelivered.length === 0) failed.push(id)
      else
        await markUndelivered(
          ctx,
          id,
          undelivered.map((address) => ({ address, ...failure })),
        )
    }
    if (failed.length > 0) await advanceStatus(ctx, failed, 'failed', failure)
    return bounced.map(({ id }) => id)
  })
