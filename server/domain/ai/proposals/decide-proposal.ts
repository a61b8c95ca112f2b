// A person of the team decides about an action that the AI agent proposes. Whoever may reply in the conversation may.
import { actorId } from '../../../platform/ctx/actor.ts'
import { type Ctx, inTransaction } from '../../../platform/ctx/ctx.ts'
import { ApiError } from '../../../platform/errors.ts'
import { insertCalls } from '../../actions/call-queries.ts'
import { actorName } from '../../conversations/actor-name.ts'
import { insertSystemEntry, lockConversation } from '../../conversations/queries.ts'
import { describeAction } from './proposal.ts'
import { decideForPerson, listOpenProposals, proposalExists } from './queries.ts'
import type { OpenProposal } from './schema.ts'

/**
 * The action is called once the transaction is committed, or never. Throws CONVERSATION_NOT_FOUND, PROPOSAL_NOT_FOUND,
 * and PROPOSAL_ENDED if it has expired or somebody was faster.
 */
export const decideProposal = (
  ctx: Ctx,
  {
    conversationId,
    proposalId: id,
    isConfirmed,
  }: { conversationId: string; proposalId: string; isConfirmed: boolean },
): Promise<OpenProposal[]> =>
  inTransaction(ctx, async (ctx) => {
    const conversation = await lockConversation(ctx, conversationId)
    if (!conversation) throw new ApiError('CONVERSATION_NOT_FOUND')
    const state = isConfirmed ? 'confirmed' : 'declined'
    const by = actorId(ctx.actor)
    const decided = await decideForPerson(ctx, { id, conversationId, state, by })
    if (!decided)
      throw new ApiError(
        (await proposalExists(ctx, { id, conversationId })) ? 'PROPOSAL_ENDED' : 'PROPOSAL_NOT_FOUND',
      )
    const { turnId, actionId, name, parameters } = decided
    await insertSystemEntry(ctx, {
      conversation,
      body: `${await actorName(ctx)} ${state} what the AI agent proposed: ${describeAction(decided)}`,
      metadata: {
        event: 'ai_action',
        by,
        ai: { turnId, action: { proposalId: id, actionId, name, parameters, state, confirmedBy: by } },
      },
    })
    if (isConfirmed) await insertCalls(ctx, [{ conversationId, proposalId: id, actionId, parameters }])
    return listOpenProposals(ctx, conversationId)
  })
