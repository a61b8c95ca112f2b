import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { inputsFrom } from './inputs.ts'

/**
 * Lets the conductor look again at every open conversation of the AI agent, because it may have been stopped. Without
 * the contacts' locks, unlike other inputs: these may come at any place in the order, and there may be 50,000.
 */
export const addStopInputs = async (ctx: Ctx, aiId: string): Promise<void> => {
  await inputsFrom(
    ctx,
    sql`(select c.id as "conversationId", 'ai_settings' as kind, null as "messageId", null as "runId",
        null::jsonb as data, c.id as at
      from conversations c
      where c.workspace_id = ${ctx.workspaceId} and c.agent_id = ${aiId} and c.status = 'open') i`,
  ).execute(ctx.db)
}
