import { type Ctx, inTransaction } from '../../ctx.ts'
import { planByIndex } from '../../db/plan-by-index.ts'
import { recordMany } from '../../events/record.ts'
import { settleRecipients } from '../broadcasts/settle-recipients.ts'
import { takeReports } from './apply-statuses.ts'
import { acceptAll } from './delivery-queries.ts'

export type AcceptedSend = {
  id: string
  tries: number
  messageId: string
  channelAccountId: string
  externalId: string | null
}

/**
 * What recordOutcome does for one message that a provider took, for many of them: their deliveries, statuses and the
 * provider's ids, then what was reported of them before those were known.
 */
export const recordAccepted = (ctx: Ctx, sends: readonly AcceptedSend[]): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    await planByIndex(ctx.db)
    const known = new Set<string>()
    const rows = sends.map((send) => {
      const { channelAccountId, externalId } = send
      const key = `${channelAccountId}\n${externalId}`
      // A provider that gives one id to two messages has given none to the second.
      const isNew = externalId !== null && !known.has(key)
      known.add(key)
      return isNew ? { ...send, externalId } : { ...send, externalId: null }
    })
    const applyReports = await takeReports(
      ctx,
      rows.flatMap(({ messageId, channelAccountId, externalId }) =>
        externalId === null ? [] : [{ messageId, channelAccountId, externalId }],
      ),
    )
    const moved = await acceptAll(ctx, rows)
    await recordMany(
      ctx,
      moved.map(({ id, status, conversationId, contactId }) => ({
        type: 'message.status',
        conversationId,
        contactId,
        data: { messageId: id, status },
      })),
    )
    await applyReports()
    await settleRecipients(
      ctx,
      rows.map(({ messageId }) => messageId),
    )
  })
