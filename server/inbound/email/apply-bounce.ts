import { advanceStatus } from '../../domain/messages/message-status.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { findReported, type MailReport } from './find-reported.ts'

type BounceInput = MailReport & { status: string; message: string }

/**
 * Marks the message that a bounce is about as failed, unless it is waiting to be resent: the report is then about the
 * previous attempt. Returns the ids of the messages it is about.
 */
export const applyBounce = (ctx: Ctx, bounce: BounceInput): Promise<string[]> =>
  inTransaction(ctx, async (ctx) => {
    const bounced = await findReported(ctx, bounce)
    const ids = bounced.filter(({ status }) => status !== 'queued').map(({ id }) => id)
    if (ids.length > 0)
      await advanceStatus(ctx, ids, 'failed', { code: bounce.status, message: bounce.message })
    return bounced.map(({ id }) => id)
  })
