import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { planByIndex } from '../../platform/db/plan-by-index.ts'
import { record } from '../../platform/events/record.ts'
import { acceptAll } from '../deliveries/delivery-queries.ts'
import { settleRecipients } from '../recipients/settle-recipients.ts'
import { takeReports } from './apply-statuses.ts'
import { applyParkedAlterations } from './parked-alterations.ts'

export type AcceptedSend = {
  id: string
  tries: number
  messageId: string
  channelAccountId: string
  externalId: string | null
}

/**
 * recordOutcome for many messages that a provider accepted: updates their deliveries, statuses and provider ids, then
 * applies reports that came before the ids were known.
 */
export const recordAccepted = (ctx: Ctx, sends: readonly AcceptedSend[]): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    await planByIndex(ctx.db)
    const known = new Set<string>()
    const rows = sends.map((send) => {
      const { channelAccountId, externalId } = send
      const key = `${channelAccountId}\n${externalId}`
      // If a provider gives two messages the same id, the second is stored without one.
      const isNew = externalId !== null && !known.has(key)
      known.add(key)
      return isNew ? { ...send, externalId } : { ...send, externalId: null }
    })
    const learnt = rows.flatMap(({ messageId, channelAccountId, externalId }) =>
      externalId === null ? [] : [{ messageId, channelAccountId, externalId }],
    )
    const applyReports = await takeReports(ctx, learnt)
    const moved = await acceptAll(ctx, rows)
    await record(
      ctx,
      moved.map(({ id, status, conversationId, contactId }) => ({
        type: 'message.status',
        conversationId,
        contactId,
        data: { messageId: id, status },
      })),
    )
    await applyReports()
    await applyParkedAlterations(ctx, learnt)
    await settleRecipients(
      ctx,
      rows.map(({ messageId }) => messageId),
    )
  })
