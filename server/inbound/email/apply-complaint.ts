import { setOptedOut } from '../../domain/contacts/people-queries.ts'
import { insertSystemEntry, lockConversation } from '../../domain/conversations/queries.ts'
import { COMPLAINT_EVENT, hasComplaint } from '../../domain/emails/report-queries.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { findReported, type MailReport } from './find-reported.ts'

/**
 * A recipient who marked our message as spam gets no more broadcasts, and the thread says so once. Agents can still
 * reply. Returns the message's id; undefined if the report is about none of ours.
 */
export const applyComplaint = (ctx: Ctx, report: MailReport): Promise<string | undefined> =>
  inTransaction(ctx, async (ctx) => {
    const [reported] = await findReported(ctx, report)
    const conversation = reported && (await lockConversation(ctx, reported.conversationId))
    if (!conversation) return undefined
    await setOptedOut(ctx, [conversation.contactId], { at: ctx.now(), channel: 'email' })
    if (!(await hasComplaint(ctx, conversation.id, reported.id)))
      await insertSystemEntry(ctx, {
        conversation,
        body: 'The customer marked our email as spam and won’t receive broadcasts',
        metadata: { event: COMPLAINT_EVENT, messageId: reported.id },
      })
    return reported.id
  })
