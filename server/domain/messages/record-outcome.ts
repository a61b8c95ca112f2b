import type { Accepted } from '../../../channels/channel.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { type Claim, endTry, holdBehind, setExternalId } from '../deliveries/delivery-queries.ts'
import { insertEmailAliases } from '../emails/queries.ts'
import { learnRecipient } from '../people/save-recipient-ids.ts'
import { settleRecipients } from '../recipients/settle-recipients.ts'
import { absorbEcho } from './absorb-echo.ts'
import { applyParked } from './apply-statuses.ts'
import { advanceStatus } from './message-status.ts'
import { applyParkedAlterations } from './parked-alterations.ts'

export type Outcome =
  | ({ is: 'accepted' } & Accepted)
  | { is: 'refused'; code: string; message: string }
  /** Not sent; to be retried from then on. */
  | { is: 'postponed'; until: Date; code: string; message: string }
  /** Unknown whether it was sent; never sent again. */
  | { is: 'unconfirmed'; code: string; message: string }

/**
 * Records the outcome of a send and its consequences: the message's status, the next try. If the claim was swept
 * meanwhile, the sweep's result stays, except that accepted always counts.
 */
export const recordOutcome = (ctx: Ctx, claim: Claim, outcome: Outcome): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    switch (outcome.is) {
      case 'accepted':
        await endTry(ctx, claim, { state: 'accepted' })
        await advanceStatus(ctx, [claim.messageId], 'sent')
        if (outcome.externalId) {
          await absorbEcho(ctx, { ...claim, externalId: outcome.externalId })
          await setExternalId(ctx, claim.messageId, outcome.externalId)
          await applyParked(ctx, [{ ...claim, externalId: outcome.externalId }])
          await applyParkedAlterations(ctx, [{ ...claim, externalId: outcome.externalId }])
        }
        if (outcome.aliases?.length) await insertEmailAliases(ctx, { ...claim, ids: outcome.aliases })
        if (outcome.recipient) await learnRecipient(ctx, claim.conversationId, outcome.recipient)
        return
      case 'refused': {
        const { code, message } = outcome
        const failure = { code, message }
        if (await endTry(ctx, claim, { state: 'refused', failure }))
          await advanceStatus(ctx, [claim.messageId], 'failed', failure)
        return
      }
      case 'postponed': {
        const { until, ...failure } = outcome
        if (await endTry(ctx, claim, { state: 'pending', notBefore: until, failure }))
          await holdBehind(ctx, claim, until)
        return
      }
      case 'unconfirmed':
        if (await endTry(ctx, claim, { state: 'unconfirmed', failure: outcome }))
          await settleRecipients(ctx, [claim.messageId])
    }
  })
