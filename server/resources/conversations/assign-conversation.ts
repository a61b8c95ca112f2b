import { actorId, type Ctx, inTransaction } from '../../ctx.ts'
import { ApiError } from '../../errors.ts'
import { record } from '../../events/record.ts'
import { noteActivity } from '../contacts/counters.ts'
import { requireMayAssign } from '../roles/permissions.ts'
import { insertSystemEntry, lockCandidate, lockConversation, setAgent } from './queries.ts'
import type { Assigned } from './schema.ts'

/**
 * Gives the conversation to an agent (an id, or `ai`) instead of whoever has it. Throws CONVERSATION_NOT_FOUND;
 * INVALID_AGENT when there is no such agent, when they were removed, or when the workspace has the AI agent switched
 * off; COMPANY_MISMATCH when they belong to other workspaces only; FORBIDDEN for a person who may hand over their own only.
 */
export const assignConversation = (
  ctx: Ctx,
  { conversationId, agentId }: { conversationId: string; agentId: string },
): Promise<Assigned> =>
  inTransaction(ctx, async (ctx) => {
    const conversation = await lockConversation(ctx, conversationId)
    if (!conversation) throw new ApiError('CONVERSATION_NOT_FOUND')
    requireMayAssign(ctx.actor, conversation)
    const agent = await lockCandidate(ctx, agentId)
    if (!agent?.isActiveHere) {
      const isStranger = agent && !agent.isAi && agent.isActiveHere === null && agent.isActiveElsewhere
      throw new ApiError(isStranger ? 'COMPANY_MISMATCH' : 'INVALID_AGENT')
    }
    const at = ctx.now()
    await setAgent(ctx, conversationId, agent.id, at)
    await noteActivity(ctx, conversation.contactId, { conversationId, agentId: agent.id, at })
    await insertSystemEntry(ctx, {
      conversation,
      body: `Assigned to ${agent.nickname}`,
      metadata: { event: 'assigned', agentId: agent.id, by: actorId(ctx.actor) },
    })
    await record(ctx, {
      type: 'conversation.assigned',
      conversationId,
      contactId: conversation.contactId,
      data: { conversationId, agentId: agent.id, previousAgentId: conversation.agentId },
    })
    return {
      success: true,
      conversationId,
      assignment: { agentId: agent.id, agentNickname: agent.nickname, assignedAt: at.toISOString() },
    }
  })
