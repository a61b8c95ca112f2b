import { type Ctx, inTransaction } from '../../ctx.ts'
import { ApiError } from '../../errors.ts'
import { record } from '../../events/record.ts'
import { getDefaultRoleId } from '../roles/queries.ts'
import { findAgent, lockAdminsAnd, updateMemberRole, updateNickname } from './queries.ts'
import type { AgentAnswer, AgentChange, MemberRole } from './schema.ts'

/**
 * Changes a person's nickname (everywhere) and their role (in this workspace); a change to the same value succeeds.
 * Throws AGENT_NOT_FOUND, AGENT_MANAGED, LAST_ADMIN, NICKNAME_TAKEN; then nothing has changed.
 */
export const updateAgent = (
  ctx: Ctx,
  { agentId, nickname, role }: AgentChange & { agentId: string },
): Promise<AgentAnswer> =>
  inTransaction(ctx, async (ctx) => {
    const before = await findAgent(ctx, agentId)
    if (!before) throw new ApiError('AGENT_NOT_FOUND')
    if (before.role === 'ai') throw new ApiError('AGENT_MANAGED')
    if (role) await changeRole(ctx, before.id, role)
    if (nickname !== undefined && !(await updateNickname(ctx, before.id, nickname)))
      throw new ApiError('NICKNAME_TAKEN')
    const agent = await findAgent(ctx, before.id)
    if (!agent) throw new ApiError('AGENT_NOT_FOUND')
    await record(ctx, { type: 'agent.updated', data: { agentId: agent.id } })
    return { agent }
  })

const changeRole = async (ctx: Ctx, accountId: string, role: MemberRole): Promise<void> => {
  const locked = await lockAdminsAnd(ctx, accountId)
  const member = locked.find((one) => one.accountId === accountId)
  if (!member) throw new ApiError('AGENT_NOT_FOUND')
  // Also keeps the permissions of an agent who is an agent already.
  if (member.role === role) return
  if (role !== 'admin' && !locked.some((one) => one.accountId !== accountId && one.role === 'admin'))
    throw new ApiError('LAST_ADMIN')
  const roleId = role === 'agent' ? await getDefaultRoleId(ctx) : null
  await updateMemberRole(ctx, { accountId, role, roleId })
}
