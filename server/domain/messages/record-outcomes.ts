import type { Accepted } from '../../../channels/channel.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { planByIndex } from '../../platform/db/plan-by-index.ts'
import type { ChannelName } from '../../platform/db/tables.ts'
import { record } from '../../platform/events/record.ts'
import { setOptedOut } from '../contacts/people-queries.ts'
import { acceptAll, type Claim, endTry, holdBehind } from '../deliveries/delivery-queries.ts'
import { insertEmailAliases } from '../emails/queries.ts'
import { saveRecipientIds } from '../people/save-recipient-ids.ts'
import { settleRecipients } from '../recipients/settle-recipients.ts'
import { absorbEcho } from './absorb-echo.ts'
import { takeReports } from './apply-statuses.ts'
import { advanceStatus } from './message-status.ts'
import { applyParkedAlterations } from './parked-alterations.ts'
import { setExternalIds } from './status-queries.ts'
import { markReached, markUndelivered } from './undelivered.ts'

export type Outcome =
  | ({ is: 'accepted' } & Accepted)
  /** `optedOut`: they no longer want such messages. */
  | {
      is: 'refused'
      code: string
      message: string
      optedOut?: { contactId: string; channel: ChannelName }
    }
  /** Not sent; to be retried from then on. */
  | { is: 'postponed'; until: Date; code: string; message: string }
  /** Unknown whether it was sent; never sent again. */
  | { is: 'unconfirmed'; code: string; message: string }

export type Ended = { claim: Claim; outcome: Outcome }

/**
 * Records the outcomes of sends and their consequences: the messages' statuses, the next tries. If a claim was swept
 * meanwhile, the sweep's result stays, except that accepted always counts.
 */
export const recordOutcomes = (ctx: Ctx, ended: readonly Ended[]): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const accepted = ended.flatMap(({ claim, outcome }) =>
      outcome.is === 'accepted' ? [{ ...claim, ...outcome }] : [],
    )
    if (accepted.length > 0) await recordAccepted(ctx, accepted)
    for (const { claim, outcome } of ended)
      if (outcome.is !== 'accepted') await recordNotAccepted(ctx, claim, outcome)
  })

const recordAccepted = async (ctx: Ctx, sends: readonly (Claim & Accepted)[]): Promise<void> => {
  await planByIndex(ctx.db)
  const identified = withUniqueIds(sends)
  const ids = new Map(identified.map(({ messageId, externalId }) => [messageId, externalId]))
  const applyReports = await takeReports(ctx, identified)
  const messages = await acceptAll(
    ctx,
    sends.map((send) => ({ ...send, externalId: ids.get(send.messageId) ?? null })),
  )
  await record(
    ctx,
    messages
      .filter(({ isMoved }) => isMoved)
      .map(({ id, conversationId, contactId }) => ({
        type: 'message.status',
        conversationId,
        contactId,
        data: { messageId: id, status: 'sent' },
      })),
  )
  const taken = new Set(messages.flatMap(({ id, isIdTaken }) => (isIdTaken ? [id] : [])))
  for (const send of identified.filter(({ messageId }) => taken.has(messageId))) {
    await absorbEcho(ctx, send)
    await setExternalIds(ctx, new Map([[send.messageId, send.externalId]]))
  }
  await applyReports()
  await applyParkedAlterations(ctx, identified)
  for (const { aliases = [], ...claim } of sends)
    if (aliases.length > 0) await insertEmailAliases(ctx, { ...claim, ids: aliases })
  for (const { rejected, messageId } of sends)
    if (rejected) {
      await markReached(ctx, messageId)
      await markUndelivered(ctx, messageId, rejected)
    }
  const contacts = new Map(messages.map(({ id, contactId }) => [id, contactId]))
  await saveRecipientIds(
    ctx,
    sends.flatMap(({ messageId, recipient }) => {
      const contactId = contacts.get(messageId)
      return recipient && contactId ? [{ ...recipient, contactId }] : []
    }),
  )
  await settleRecipients(
    ctx,
    messages.filter(({ isOfBroadcast }) => isOfBroadcast).map(({ id }) => id),
  )
}

/** Those with a provider's id. If a provider gives two messages the same one, the first has it. */
const withUniqueIds = (sends: readonly (Claim & Accepted)[]) => {
  const byId = new Map<string, Claim & { externalId: string }>()
  for (const { externalId, ...claim } of sends) {
    const key = `${claim.channelAccountId}\n${externalId}`
    if (externalId && !byId.has(key)) byId.set(key, { ...claim, externalId })
  }
  return [...byId.values()]
}

const recordNotAccepted = async (
  ctx: Ctx,
  claim: Claim,
  outcome: Exclude<Outcome, { is: 'accepted' }>,
): Promise<void> => {
  const { code, message } = outcome
  const failure = { code, message }
  switch (outcome.is) {
    case 'refused':
      if (outcome.optedOut) {
        const { contactId, channel } = outcome.optedOut
        await setOptedOut(ctx, [contactId], { at: ctx.now(), channel })
      }
      if (await endTry(ctx, claim, { state: 'refused', failure }))
        await advanceStatus(ctx, [claim.messageId], 'failed', failure)
      return
    case 'postponed':
      if (await endTry(ctx, claim, { state: 'pending', notBefore: outcome.until, failure }))
        await holdBehind(ctx, claim, outcome.until)
      return
    case 'unconfirmed':
      if (await endTry(ctx, claim, { state: 'unconfirmed', failure }))
        await settleRecipients(ctx, [claim.messageId])
  }
}
