import { type Ctx, inTransaction } from '../../ctx.ts'
import { ApiError } from '../../errors.ts'
import { record } from '../../events/record.ts'
import { unassignConversationsOf } from '../conversations/unassign-conversations.ts'
import { announceAccessEnded } from '../sessions/queries.ts'
import { findAgent, lockAdminsAnd, markMemberRemoved } from './queries.ts'
import type { AgentRemoved } from './schema.ts'

/**
 * Takes a person's access to the workspace away; their account and what they wrote stay. Their open conversations become
 * unassigned. Throws AGENT_NOT_FOUND, AGENT_MANAGED, LAST_ADMIN.
 */
export const removeAgent = (ctx: Ctx, agentId: string): Promise<AgentRemoved> =>
  inTransaction(ctx, async (ctx) => {
    const agent = await findAgent(ctx, agentId)
    if (!agent) throw new ApiError('AGENT_NOT_FOUND')
    if (agent.role === 'ai') throw new ApiError('AGENT_MANAGED')
    // Conversations are locked before members, as an assignment does it.
    await unassignConversationsOf(ctx, agent.id)
    const locked = await lockAdminsAnd(ctx, agent.id)
    if (!locked.some((one) => one.accountId === agent.id)) throw new ApiError('AGENT_NOT_FOUND')
    if (!locked.some((one) => one.accountId !== agent.id && one.role === 'admin'))
      throw new ApiError('LAST_ADMIN')
    await markMemberRemoved(ctx, agent.id)
    // What was assigned between the first pass and the lock; nothing can be any more.
    await unassignConversationsOf(ctx, agent.id)
    await record(ctx, { type: 'agent.updated', data: { agentId: agent.id } })
    // What they have open in other processes ends before those look for events.
    await announceAccessEnded(ctx, agent.id)
    return { success: true }
  })
