import { type Ctx, inTransaction } from '../../ctx.ts'
import { ApiError, invalid } from '../../errors.ts'
import { record } from '../../events/record.ts'
import { lockRole } from '../roles/queries.ts'
import { listMembers, lockAdminsAnd, updateMemberRole } from './queries.ts'
import type { Member } from './schema.ts'

/**
 * Gives an agent one of the workspace's roles; it counts from their next request on. Throws AGENT_NOT_FOUND,
 * AGENT_MANAGED, and VALIDATION_ERROR for an id that is no role of the workspace and for an admin, who has no need of one.
 */
export const setMemberRole = (
  ctx: Ctx,
  { agentId, roleId }: { agentId: string; roleId: string },
): Promise<{ member: Member }> =>
  inTransaction(ctx, async (ctx) => {
    const role = await lockRole(ctx, roleId, 'stays')
    const locked = await lockAdminsAnd(ctx, agentId)
    const member = locked.find((one) => one.accountId === agentId)
    if (agentId === 'ai' || member?.role === 'ai') throw new ApiError('AGENT_MANAGED')
    if (!member) throw new ApiError('AGENT_NOT_FOUND')
    if (!role) throw invalid({ field: 'roleId', message: 'is no role of the workspace' })
    if (member.role === 'admin')
      throw invalid({ field: 'roleId', message: 'is for agents: an admin may do everything' })
    await updateMemberRole(ctx, { accountId: agentId, role: 'agent', roleId })
    await record(ctx, { type: 'agent.updated', data: { agentId } })
    const changed = (await listMembers(ctx)).find(({ id }) => id === agentId)
    if (!changed) throw new ApiError('AGENT_NOT_FOUND')
    return { member: changed }
  })
