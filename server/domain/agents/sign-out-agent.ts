import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError } from '../../platform/errors.ts'
import { deleteSessionsOnlyFor } from '../accounts/own-sessions-queries.ts'
import { announceAccessEnded } from '../accounts/session-queries.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { endEarlierSessions, findAgent } from './queries.ts'
import type { AgentRemoved } from './schema.ts'

/**
 * Ends a member's access through every sign-in until now. Those stay valid for other workspaces that the person belongs
 * to, which this one has no say in. Throws AGENT_NOT_FOUND, AGENT_MANAGED.
 */
export const signOutAgent = (ctx: Ctx, agentId: string): Promise<AgentRemoved> =>
  inTransaction(ctx, async (ctx) => {
    const agent = await findAgent(ctx, agentId)
    if (!agent) throw new ApiError('AGENT_NOT_FOUND')
    if (agent.role === 'ai') throw new ApiError('AGENT_MANAGED')
    await endEarlierSessions(ctx, agent.id)
    await deleteSessionsOnlyFor(ctx, agent.id)
    await recordAudit(ctx, {
      action: 'member.signed_out',
      target: { type: 'member', id: agent.id, name: agent.nickname },
    })
    await announceAccessEnded(ctx, agent.id)
    return { success: true }
  })
