import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { record } from '../../platform/events/record.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { unassignConversationsOf } from '../conversations/assign-conversation.ts'
import { raiseAutomationRevision } from '../workspaces/queries.ts'
import { getAiAccount, insertMember, lockAdminsAnd, markMemberRemoved } from './queries.ts'

/**
 * Switches the workspace's AI agent on or off; succeeds without a change if it already is. Switching it off unassigns
 * its open conversations.
 */
export const setAiAgent = (
  ctx: Ctx,
  { isEnabled }: { isEnabled: boolean },
): Promise<{ ai: { id: string; isEnabled: boolean } }> =>
  inTransaction(ctx, async (ctx) => {
    const { id } = await getAiAccount(ctx)
    const hasChanged = isEnabled
      ? await insertMember(ctx, { accountId: id, role: 'ai', roleId: null })
      : await switchOff(ctx, id)
    // What customers write to it has to leave inputs.
    if (hasChanged && isEnabled) await raiseAutomationRevision(ctx, true)
    if (hasChanged) {
      await record(ctx, { type: isEnabled ? 'agent.added' : 'agent.removed', data: { agentId: id } })
      await recordAudit(ctx, { action: isEnabled ? 'ai_agent.enabled' : 'ai_agent.disabled' })
    }
    return { ai: { id, isEnabled } }
  })

/** Same order as remove-agent.ts, for the same reasons. */
const switchOff = async (ctx: Ctx, id: string): Promise<boolean> => {
  await unassignConversationsOf(ctx, id)
  const locked = await lockAdminsAnd(ctx, id)
  if (!locked.some((one) => one.accountId === id)) return false
  await markMemberRemoved(ctx, id)
  await unassignConversationsOf(ctx, id)
  return true
}
