import { actorId, type Ctx, inTransaction } from '../../ctx.ts'
import { ApiError } from '../../errors.ts'
import { record } from '../../events/record.ts'
import { noteActivity } from '../contacts/counters.ts'
import { requireMayAssign } from '../roles/permissions.ts'
import type { Unassigned } from './inbox-schema.ts'
import { insertSystemEntry, lockConversation, setAgent } from './queries.ts'

/**
 * Takes the conversation from whoever has it; where nobody has it, nothing changes. Throws CONVERSATION_NOT_FOUND, and
 * FORBIDDEN for a person who may hand over their own only.
 */
export const unassignConversation = (
  ctx: Ctx,
  { conversationId }: { conversationId: string },
): Promise<Unassigned> =>
  inTransaction(ctx, async (ctx) => {
    const conversation = await lockConversation(ctx, conversationId)
    if (!conversation) throw new ApiError('CONVERSATION_NOT_FOUND')
    const { agentId, contactId } = conversation
    const answer = { success: true as const, conversationId, assignment: null }
    requireMayAssign(ctx.actor, conversation)
    if (agentId === null) return answer
    const at = ctx.now()
    await setAgent(ctx, conversationId, null, at)
    await noteActivity(ctx, contactId, { conversationId, agentId: null, at })
    await insertSystemEntry(ctx, {
      conversation,
      body: 'Conversation unassigned',
      metadata: { event: 'unassigned', agentId, by: actorId(ctx.actor) },
    })
    await record(ctx, {
      type: 'conversation.assigned',
      conversationId,
      contactId,
      data: { conversationId, agentId: null, previousAgentId: agentId },
    })
    return answer
  })
