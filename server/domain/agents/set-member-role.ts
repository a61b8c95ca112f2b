import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError, invalid } from '../../platform/errors.ts'
import { record } from '../../platform/events/record.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { listMembers, lockAdminsAnd, updateMemberRole } from './queries.ts'
import { lockRole } from './role-queries.ts'
import type { Member } from './schema.ts'

/**
 * Gives an agent one of the workspace's roles, effective from their next request. Throws AGENT_NOT_FOUND,
 * AGENT_MANAGED, and VALIDATION_ERROR if the id is not a role of this workspace or the member is an admin, who needs
 * none.
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
    if (!role) throw invalid({ field: 'roleId', message: 'is not a role of this workspace' })
    if (member.role === 'admin')
      throw invalid({ field: 'roleId', message: 'applies to agents only; admins have full access' })
    await updateMemberRole(ctx, { accountId: agentId, role: 'agent', roleId })
    await record(ctx, { type: 'agent.updated', data: { agentId } })
    const changed = (await listMembers(ctx)).find(({ id }) => id === agentId)
    if (!changed) throw new ApiError('AGENT_NOT_FOUND')
    await recordAudit(ctx, {
      action: 'member.updated',
      target: { type: 'member', id: agentId, name: changed.nickname },
      changes: { roleId: { to: roleId } },
    })
    return { member: changed }
  })
