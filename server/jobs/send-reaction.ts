// Sends the team's reactions to customers' messages. Setting one twice is harmless, so whatever happened to a process in
// between, it is sent again; a claim keeps two from going out at once, in the wrong order.
import { DeliveryError } from '../../channels/channel.ts'
import { findChannelAccount, openSecrets } from '../domain/channel-accounts/queries.ts'
import { recordWorking } from '../domain/channel-accounts/record-channel-problem.ts'
import {
  claimReaction,
  type Freed,
  findReacted,
  freeClaimsOf,
  freeOverdue,
  type ReactionClaim,
} from '../domain/messages/reaction-queries.ts'
import { attemptIdOf, type ReactionOutcome, recordReaction } from '../domain/messages/record-reaction.ts'
import type { Ctx } from '../platform/ctx/ctx.ts'
import { systemCtx } from '../platform/ctx/system-ctx.ts'
import { addJob } from '../platform/queue/add-job.ts'
import type { JobPayloads } from '../platform/queue/catalogue.ts'
import { runAside } from './aside.ts'
import { noteState, recordProblem } from './channel-state.ts'
import type { JobDeps } from './deps.ts'
import { CHANNEL_REMOVED, nextTry, withRetries } from './hand-over.ts'

const ROWS_MAX = 1_000

/** What is wanted when the job runs is sent, not what was when it was added. */
export const sendReaction = async (deps: JobDeps, payload: JobPayloads['send_reaction']): Promise<void> => {
  const ctx = systemCtx(deps, payload.workspaceId)
  try {
    await runAside(ctx, 'send_reaction', payload, async () => {
      const claim = await claimReaction(ctx, payload.reactedId)
      if (!claim) return
      const error = await attempt(deps, ctx, claim)
      await withRetries(deps, () => recordReaction(ctx, claim, outcomeOf(deps, ctx, claim, error)))
      if (error) throw error
    })
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error
    const { reactedId: messageId, workspaceId } = payload
    ctx.log.info(
      { workspaceId, messageId, code: error.code, outcome: error.outcome },
      'a reaction was not sent',
    )
  }
}

/** Why it was not sent. */
const attempt = async (deps: JobDeps, ctx: Ctx, claim: ReactionClaim): Promise<DeliveryError | null> => {
  const account = await findChannelAccount(ctx, claim.channelAccountId)
  const target = await findReacted(ctx, claim.messageId)
  const react = account && ctx.channels[account.channel].react
  if (!react || !target?.messageExternalId)
    return new DeliveryError('refused', CHANNEL_REMOVED.code, 'The channel was removed before it was sent.')
  const { messageExternalId, phone, externalId } = target
  try {
    await react(
      { ...account, secrets: openSecrets(deps.seal, account) },
      { attemptId: attemptIdOf(claim), messageExternalId, emoji: claim.emoji, to: { phone, externalId } },
      { timeoutMs: deps.timing.sendTimeoutMs },
    )
    await noteState(ctx, account, () => recordWorking(ctx, account, 'sending'))
    return null
  } catch (error) {
    if (!(error instanceof DeliveryError)) {
      ctx.log.error({ err: error, messageId: claim.messageId }, 'a channel failed unexpectedly')
      return new DeliveryError('unknown', 'UNEXPECTED', 'Sending failed unexpectedly.', { cause: error })
    }
    const { outcome, concerns, code, message } = error
    if (outcome === 'refused' && concerns === 'account') await recordProblem(ctx, account, { code, message })
    return error
  }
}

const outcomeOf = (
  { timing }: JobDeps,
  ctx: Ctx,
  claim: ReactionClaim,
  error: DeliveryError | null,
): ReactionOutcome => {
  if (!error) return { is: 'accepted' }
  const { outcome, code, message, retryAfterMs } = error
  const until = outcome === 'refused' ? null : nextTry(ctx, timing, claim, retryAfterMs)
  return until ? { is: 'postponed', until, code, message } : { is: 'refused', code, message }
}

const sendFreed = async ({ db }: JobDeps, freed: readonly Freed[]): Promise<void> =>
  addJob(
    { db },
    'send_reaction',
    freed.map(({ workspaceId, channelAccountId, messageId }) => ({
      ...{ workspaceId, channelAccountId, reactedId: messageId },
    })),
  )

/** Sends what processes that died were sending. */
export const releaseReactionsOf = async (deps: JobDeps, claimants: readonly string[]): Promise<void> =>
  sendFreed(deps, await freeClaimsOf(deps.db, claimants))

/** Sends what no process is sending any more, or has begun to. */
export const wakeReactions = async (deps: JobDeps): Promise<void> => {
  const { timing } = deps
  const lifetimeMs = Math.max(timing.sendTimeoutMs + timing.claimMarginMs, timing.overdueAfterMs)
  const before = new Date(deps.now().getTime() - lifetimeMs)
  await sendFreed(deps, await freeOverdue(deps.db, before, ROWS_MAX))
}
