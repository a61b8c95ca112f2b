import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { requireScope } from '../../platform/ctx/scopes.ts'
import { FULL_ACCESS } from '../../platform/db/tables.ts'
import { ApiError } from '../../platform/errors.ts'
import { record } from '../../platform/events/record.ts'
import { assertNotMisleading } from '../accounts/nickname-rules.ts'
import { belongsToOnly, findAccount, updateNickname } from '../accounts/queries.ts'
import { changesBetween, recordAudit } from '../audit/record-audit.ts'
import { findAgent, listColleagueNicknames, lockAdminsAnd, updateMemberRole } from './queries.ts'
import { getDefaultRoleId } from './role-queries.ts'
import type { AgentAnswer, AgentChange, MemberRole } from './schema.ts'

/**
 * Changes a person's nickname (everywhere) and their role (in this workspace); succeeds if nothing changes. Throws
 * AGENT_NOT_FOUND, AGENT_MANAGED, LAST_ADMIN, NICKNAME_TAKEN, VALIDATION_ERROR for a nickname that could be mistaken
 * for another, FORBIDDEN if this workspace may not change the nickname, and INSUFFICIENT_SCOPE if a limited token would
 * make someone an admin. Nothing changes on an error.
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
    if (nickname !== undefined && nickname !== before.nickname) await rename(ctx, before.id, nickname)
    const agent = await findAgent(ctx, before.id)
    if (!agent) throw new ApiError('AGENT_NOT_FOUND')
    const changes = changesBetween(
      { role: before.role, nickname: before.nickname },
      { role: agent.role, nickname: agent.nickname },
    )
    if (Object.keys(changes).length > 0) {
      await record(ctx, { type: 'agent.updated', data: { agentId: agent.id } })
      await recordAudit(ctx, {
        action: 'member.updated',
        target: { type: 'member', id: agent.id, name: agent.nickname },
        changes,
      })
    }
    return { agent }
  })

/**
 * A nickname applies platform-wide, so only its owner may change it, or the workspace that created the account if it is
 * their only one.
 */
const rename = async (ctx: Ctx, accountId: string, nickname: string): Promise<void> => {
  const isOwn = ctx.actor.type === 'agent' && ctx.actor.accountId === accountId
  if (!isOwn) {
    const account = await findAccount(ctx, accountId)
    const isOurs =
      account?.createdIn === ctx.workspaceId && (await belongsToOnly(ctx, accountId, ctx.workspaceId))
    if (!isOurs)
      throw new ApiError('FORBIDDEN', {
        message:
          'Only this person can change their nickname, because the account is used in other workspaces too.',
      })
  }
  assertNotMisleading(nickname, await listColleagueNicknames(ctx, accountId))
  if (!(await updateNickname(ctx, accountId, nickname))) throw new ApiError('NICKNAME_TAKEN')
}

const changeRole = async (ctx: Ctx, accountId: string, role: MemberRole): Promise<void> => {
  const locked = await lockAdminsAnd(ctx, accountId)
  const member = locked.find((one) => one.accountId === accountId)
  if (!member) throw new ApiError('AGENT_NOT_FOUND')
  // Also keeps an existing agent's permissions.
  if (member.role === role) return
  if (role === 'admin') requireScope(ctx.actor, FULL_ACCESS)
  if (role !== 'admin' && !locked.some((one) => one.accountId !== accountId && one.role === 'admin'))
    throw new ApiError('LAST_ADMIN')
  const roleId = role === 'agent' ? await getDefaultRoleId(ctx) : null
  await updateMemberRole(ctx, { accountId, role, roleId })
}
