import { actorId } from '../../platform/ctx/actor.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { requireScope } from '../../platform/ctx/scopes.ts'
import { FULL_ACCESS } from '../../platform/db/tables.ts'
import { ApiError } from '../../platform/errors.ts'
import { record } from '../../platform/events/record.ts'
import { findOrCreateAccount } from '../accounts/find-or-create-account.ts'
import { assertNotMisleading } from '../accounts/nickname-rules.ts'
import { findAccountByEmail, hasWorkspace } from '../accounts/queries.ts'
import { deleteSessionsOf } from '../accounts/session-queries.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { findAgent, insertMember, listColleagueNicknames } from './queries.ts'
import { getDefaultRoleId } from './role-queries.ts'
import type { AgentAnswer, NewAgent } from './schema.ts'

/**
 * Makes the owner of an email a member of the workspace. Existing accounts keep their nickname, and former members get
 * the same id back. Throws AGENT_ALREADY_MEMBER, NICKNAME_TAKEN, and AGENT_MANAGED for the AI agent's email;
 * VALIDATION_ERROR if the name of a new account could be mistaken for another; INSUFFICIENT_SCOPE for an admin whom a
 * limited token would add, since an admin can create tokens.
 */
export const addAgent = (ctx: Ctx, { email, nickname, role = 'agent' }: NewAgent): Promise<AgentAnswer> =>
  inTransaction(ctx, async (ctx) => {
    if (role === 'admin') requireScope(ctx.actor, FULL_ACCESS)
    const address = email.toLowerCase()
    const known = await findAccountByEmail(ctx, address)
    // An existing account keeps its name, and the given one is ignored.
    if (nickname !== undefined && !known)
      assertNotMisleading(nickname, await listColleagueNicknames(ctx, null))
    const account = await findOrCreateAccount(ctx, { email: address, nickname, createdIn: ctx.workspaceId })
    // A session from before a removal gives no access here; without another workspace it is useless.
    if (known && !(await hasWorkspace(ctx, account.id))) await deleteSessionsOf(ctx, account.id)
    const roleId = role === 'agent' ? await getDefaultRoleId(ctx) : null
    const isAdded = await insertMember(ctx, {
      accountId: account.id,
      role,
      roleId,
      isNew: !account.isCreated,
      addedBy: actorId(ctx.actor),
    })
    if (!isAdded) throw new ApiError('AGENT_ALREADY_MEMBER')
    await record(ctx, { type: 'agent.added', data: { agentId: account.id } })
    const agent = await findAgent(ctx, account.id)
    if (!agent) throw new Error('the member who was just added is not there')
    await recordAudit(ctx, {
      action: 'member.added',
      target: { type: 'member', id: agent.id, name: agent.nickname },
      changes: { email: { to: agent.email }, role: { to: agent.role } },
    })
    return { agent }
  })
