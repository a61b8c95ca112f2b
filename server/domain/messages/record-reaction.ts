// What became of a reaction on its way to the provider, and what the thread shows of that.
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { record } from '../../platform/events/record.ts'
import { addJob } from '../../platform/queue/add-job.ts'
import { lockConversation } from '../conversations/queries.ts'
import { type Reaction, reactionOf, withReaction } from './reaction.ts'
import {
  findPlace,
  lockTarget,
  type ReactionClaim,
  type Settled,
  setMetadata,
  settleReaction,
} from './reaction-queries.ts'

type Failure = { code: string; message: string }

export type ReactionOutcome =
  | { is: 'accepted' }
  | ({ is: 'refused' } & Failure)
  /** Perhaps not accepted; sending it again is harmless. */
  | ({ is: 'postponed'; until: Date } & Failure)

const ATTEMPT_PREFIX = 'reaction:'

type ClaimRef = Pick<ReactionClaim, 'messageId' | 'claim' | 'revision'>

/** Our id of an attempt, for reports about it. */
export const attemptIdOf = ({ messageId, claim, revision }: ClaimRef): string =>
  `${ATTEMPT_PREFIX}${messageId}:${claim}:${revision}`

export const reactionClaimOf = (attemptId: string | null): ClaimRef | undefined => {
  if (!attemptId?.startsWith(ATTEMPT_PREFIX)) return undefined
  const [messageId = '', claim, revision] = attemptId.slice(ATTEMPT_PREFIX.length).split(':')
  return { messageId, claim: Number(claim), revision: Number(revision) }
}

/**
 * Records how a claim ended. If something else is wanted by now, that is sent next: what happened to the earlier one
 * shows nowhere. Nothing changes if the claim is over, because its process was taken for dead or a report came first.
 */
export const recordReaction = (ctx: Ctx, claim: ReactionClaim, outcome: ReactionOutcome): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const held = await lockReaction(ctx, claim)
    if (held?.sent.state !== 'sending') return
    const { emoji, messageId } = claim
    const reached = outcome.is === 'accepted' ? emoji : held.sent.reached
    if (held.sent.revision !== claim.revision) {
      await settleReaction(ctx, messageId, { state: 'pending', reached })
      return sendAgain(ctx, claim)
    }
    await settleReaction(ctx, messageId, { reached, ...endingOf(outcome) })
    if (outcome.is === 'postponed') return sendAgain(ctx, claim, outcome.until)
    await show(ctx, held, outcome.is === 'accepted' ? null : outcome)
  })

const endingOf = (outcome: ReactionOutcome): Omit<Settled, 'reached'> => {
  if (outcome.is === 'accepted') return { state: 'sent' }
  const { code, message } = outcome
  const failure = { code, message }
  return outcome.is === 'refused'
    ? { state: 'refused', failure }
    : { state: 'pending', notBefore: outcome.until, failure }
}

/** The provider reports that it did not deliver what it had accepted. */
export const failReaction = (ctx: Ctx, claim: ClaimRef, failure: Failure): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const held = await lockReaction(ctx, claim)
    // What is wanted instead by now goes its own way.
    if (!held || held.sent.revision !== claim.revision) return
    const { state } = held.sent
    if (state !== 'sending' && state !== 'sent') return
    const reached = state === 'sent' ? null : held.sent.reached
    await settleReaction(ctx, claim.messageId, { state: 'refused', reached, failure })
    await show(ctx, { ...held, sent: { ...held.sent, reached } }, failure)
  })

type Held = NonNullable<Awaited<ReturnType<typeof lockReaction>>>

/** Undefined if the claim is not the last one, or the message is gone. */
const lockReaction = async (ctx: Ctx, { messageId, claim }: ClaimRef) => {
  const place = await findPlace(ctx, messageId)
  const conversation = place && (await lockConversation(ctx, place.conversationId))
  const target = conversation && (await lockTarget(ctx, messageId))
  if (!conversation || !target?.sent || target.sent.claim !== claim) return undefined
  return { conversation, id: target.id, metadata: target.metadata, sent: target.sent }
}

const sendAgain = (ctx: Ctx, { channelAccountId, messageId }: ReactionClaim, runAt?: Date): Promise<void> =>
  addJob(
    ctx,
    'send_reaction',
    { workspaceId: ctx.workspaceId, channelAccountId, reactedId: messageId },
    runAt && { runAt },
  )

/** In the thread: without a failure, the customer has it. */
const show = async (
  ctx: Ctx,
  { conversation, id, metadata, sent: { reached } }: Held,
  failure: Failure | null,
): Promise<void> => {
  const before = reactionOf(metadata, 'business')
  const shown = failure ? failedOf(ctx, before, reached, failure) : sentOf(before)
  if (shown === undefined) return
  await setMetadata(ctx, id, withReaction(metadata, 'business', shown))
  await record(ctx, {
    type: 'message.updated',
    conversationId: conversation.id,
    contactId: conversation.contactId,
    data: { messageId: id, changed: ['reactions'] },
  })
}

const sentOf = (before: Reaction | undefined): Reaction | undefined => {
  if (!before?.status) return undefined
  const { status: _, ...sent } = before
  return sent
}

/** One that could not be taken away comes back, if the customer has seen it. */
const failedOf = (
  ctx: Ctx,
  before: Reaction | undefined,
  reached: string | null,
  { code, message }: Failure,
): Omit<Reaction, 'by'> | undefined => {
  const error = { code, message }
  if (before) return { ...before, status: 'failed', error, ...(reached !== null && { instead: reached }) }
  return reached === null ? undefined : { emoji: reached, at: ctx.now().toISOString(), error }
}
