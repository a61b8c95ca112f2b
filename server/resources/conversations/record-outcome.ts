import type { Accepted } from '../../../channels/channel.ts'
import { type Ctx, inTransaction } from '../../ctx.ts'
import { addJob } from '../../jobs/add-job.ts'
import { settleRecipients } from '../broadcasts/settle-recipients.ts'
import { learnRecipient } from '../contacts/learn-recipient.ts'
import { insertEmailAliases } from '../emails/queries.ts'
import { absorbEcho } from './absorb-echo.ts'
import { applyParked } from './apply-statuses.ts'
import { type Claim, endTry, setExternalId } from './delivery-queries.ts'
import { advanceStatus } from './message-status.ts'

export type Outcome =
  | ({ is: 'accepted' } & Accepted)
  | { is: 'refused'; code: string; message: string }
  /** Not sent, and to be tried again from then on. */
  | { is: 'postponed'; until: Date; code: string; message: string }
  /** Sent or not, nobody knows; never to be sent again. */
  | { is: 'unconfirmed'; code: string; message: string }

/**
 * Writes down what came of handing a message over, and what follows from it: the message's status, the next try. A
 * claim that was swept meanwhile keeps what the sweep made of it, except that accepted always counts.
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
          await addJob(
            ctx,
            'deliver_messages',
            { workspaceId: ctx.workspaceId, conversationId: claim.conversationId },
            { runAt: until },
          )
        return
      }
      case 'unconfirmed':
        if (await endTry(ctx, claim, { state: 'unconfirmed', failure: outcome }))
          await settleRecipients(ctx, [claim.messageId])
    }
  })
