import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { inputsFrom } from './inputs.ts'

/** What it has said in its open conversations and wasn't sent yet is withdrawn when it is about to be. */
export const raiseEpochs = async ({ db, workspaceId }: Ctx, aiId: string): Promise<void> => {
  await sql`
    update automation_states s set epoch = s.epoch + 1
    from conversations c
    where c.workspace_id = ${workspaceId} and c.agent_id = ${aiId} and c.status = 'open'
      and s.workspace_id = c.workspace_id and s.conversation_id = c.id`.execute(db)
}

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
