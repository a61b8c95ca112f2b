import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError } from '../../platform/errors.ts'
import { record } from '../../platform/events/record.ts'
import { deleteSecondFactor } from '../accounts/passkeys/remove-passkeys.ts'
import { hasWorkspace } from '../accounts/queries.ts'
import { announceAccessEnded } from '../accounts/session-queries.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { unassignConversationsOf } from '../conversations/assign-conversation.ts'
import { leaveTeams } from '../teams/queries.ts'
import { findAgent, lockAdminsAnd, markMemberRemoved } from './queries.ts'
import type { AgentRemoved } from './schema.ts'

/**
 * Ends a person's access to the workspace; their account and what they wrote stay. Their open conversations become
 * unassigned. Their earlier sessions stay invalid here even if they are added again. If this was their only workspace,
 * their passkeys and recovery codes are deleted. Throws AGENT_NOT_FOUND, AGENT_MANAGED, LAST_ADMIN.
 */
export const removeAgent = (ctx: Ctx, agentId: string): Promise<AgentRemoved> =>
  inTransaction(ctx, async (ctx) => {
    const agent = await findAgent(ctx, agentId)
    if (!agent) throw new ApiError('AGENT_NOT_FOUND')
    if (agent.role === 'ai') throw new ApiError('AGENT_MANAGED')
    // Conversations are locked before members, as in an assignment.
    await unassignConversationsOf(ctx, agent.id)
    const locked = await lockAdminsAnd(ctx, agent.id)
    if (!locked.some((one) => one.accountId === agent.id)) throw new ApiError('AGENT_NOT_FOUND')
    if (!locked.some((one) => one.accountId !== agent.id && one.role === 'admin'))
      throw new ApiError('LAST_ADMIN')
    await markMemberRemoved(ctx, agent.id)
    await leaveTeams(ctx, agent.id)
    if (!(await hasWorkspace(ctx, agent.id))) await deleteSecondFactor(ctx, agent.id)
    // Anything assigned between the first pass and the lock; the lock prevents more.
    await unassignConversationsOf(ctx, agent.id)
    await record(ctx, { type: 'agent.removed', data: { agentId: agent.id } })
    await recordAudit(ctx, {
      action: 'member.removed',
      target: { type: 'member', id: agent.id, name: agent.nickname },
    })
    // Their streams in other processes end before those look for events.
    await announceAccessEnded(ctx, agent.id)
    return { success: true }
  })
