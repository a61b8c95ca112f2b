import { type Ctx, inTransaction } from '../../ctx.ts'
import { advanceStatus } from '../conversations/message-status.ts'
import { listBounced } from './queries.ts'

type BounceInput = {
  channelAccountId: string
  status: string
  message: string
  /** Whom the mail did not reach; empty where the report does not say. */
  recipients: readonly string[]
  /** Messages of ours whose signature was good: nobody can name them who has not got the mail. */
  messageIds: readonly string[]
  emailIds: readonly string[]
}

/**
 * Marks the message that a report is about as failed: one of ours in this mailbox, that went to the recipient. A report
 * that names no recipient must bear our signature. One that waits to be sent again is not failed by what is heard of the
 * mail before. Returns the ids of the messages that it is about.
 */
export const applyBounce = (ctx: Ctx, bounce: BounceInput): Promise<string[]> =>
  inTransaction(ctx, async (ctx) => {
    const candidates = await listBounced(ctx, bounce)
    const bounced = candidates.filter(({ id, addresses }) =>
      bounce.recipients.length > 0
        ? bounce.recipients.some((recipient) => addresses.includes(recipient))
        : bounce.messageIds.includes(id),
    )
    const ids = bounced.filter(({ status }) => status !== 'queued').map(({ id }) => id)
    if (ids.length > 0)
      await advanceStatus(ctx, ids, 'failed', { code: bounce.status, message: bounce.message })
    return bounced.map(({ id }) => id)
  })
