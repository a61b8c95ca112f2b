import { listReported, type ReportedCandidate } from '../../domain/emails/report-queries.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'

/** What an external report says about our mail. */
export type MailReport = {
  channelAccountId: string
  /** The recipient of the report; empty if it names none. */
  recipients: readonly string[]
  /** Our messages named with a valid signature: only someone who has the email can name them. */
  messageIds: readonly string[]
  emailIds: readonly string[]
}

/**
 * The messages of ours that a report is about: sent from this mailbox to the recipient it names, the customer or, with
 * `anyRecipient`, whoever else got it. A report without a recipient must carry our signature.
 */
export const findReported = async (
  ctx: Ctx,
  report: MailReport,
  { anyRecipient = false } = {},
): Promise<ReportedCandidate[]> => {
  const candidates = await listReported(ctx, report)
  return candidates.filter(({ id, addresses, recipients }) =>
    report.recipients.length > 0
      ? report.recipients.some(
          (recipient) => addresses.includes(recipient) || (anyRecipient && recipients.includes(recipient)),
        )
      : report.messageIds.includes(id),
  )
}
