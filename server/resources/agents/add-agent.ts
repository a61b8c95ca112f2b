import { type Ctx, inTransaction } from '../../ctx.ts'
import { ApiError } from '../../errors.ts'
import { record } from '../../events/record.ts'
import { getDefaultRoleId } from '../roles/queries.ts'
import { findOrCreateAccount } from './find-or-create-account.ts'
import { findAgent, insertMember } from './queries.ts'
import type { AgentAnswer, NewAgent } from './schema.ts'

/**
 * Makes the owner of an email a member of the workspace; somebody who has an account keeps their nickname, and somebody
 * who was a member before gets the same id back. Throws AGENT_ALREADY_MEMBER, NICKNAME_TAKEN, and AGENT_MANAGED for the
 * AI agent's email.
 */
export const addAgent = (ctx: Ctx, { email, nickname, role = 'agent' }: NewAgent): Promise<AgentAnswer> =>
  inTransaction(ctx, async (ctx) => {
    const account = await findOrCreateAccount(ctx, { email: email.toLowerCase(), nickname })
    const roleId = role === 'agent' ? await getDefaultRoleId(ctx) : null
    const isAdded = await insertMember(ctx, { accountId: account.id, role, roleId })
    if (!isAdded) throw new ApiError('AGENT_ALREADY_MEMBER')
    await record(ctx, { type: 'agent.updated', data: { agentId: account.id } })
    const agent = await findAgent(ctx, account.id)
    if (!agent) throw new Error('the member who was just added is not there')
    return { agent }
  })
