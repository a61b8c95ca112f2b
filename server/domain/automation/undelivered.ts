// Flows and the AI agent when a provider refused their message for good: the customer can't answer what they never got.
import { sql } from 'kysely'
import type { EndReason } from '../../../flow-engine/end-reasons.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { inputsFrom } from './inputs.ts'

const REASON: EndReason = 'not_delivered'

/**
 * Has the conductor end the dialogs whose messages failed, and hand their customers over; likewise those to whom the AI
 * agent wrote. Those to whom the customer has
 * written since go on: something arrived. In the transaction in which the messages failed; it holds no lock of the
 * contact, because the order of this input among others doesn't matter.
 */
export const endUndelivered = async (ctx: Ctx, messageIds: readonly string[]): Promise<void> => {
  if (messageIds.length === 0) return
  const { db, workspaceId } = ctx
  await inputsFrom(
    ctx,
    sql`(
      select distinct on (r.id) r.conversation_id as "conversationId", 'cancel' as kind, null as "messageId",
        r.id as "runId", r.id as at,
        jsonb_build_object('reason', ${REASON}::text, 'by', 'system', 'toPeople', true) as data
      from messages m
      join flow_runs r on r.workspace_id = m.workspace_id and r.id = m.metadata #>> '{flow,runId}'
        and r.conversation_id = m.conversation_id and r.status = 'running' and r.is_dialog
      where m.workspace_id = ${workspaceId} and m.id = any(${messageIds}::text[]) and m.sender_type = 'automation'
        and not exists (select from messages a
          where a.workspace_id = m.workspace_id and a.conversation_id = m.conversation_id and a.id > m.id
            and a.sender_type = 'customer')
      union all
      select m.conversation_id, 'ai_undelivered', null, null, m.id, null
      from messages m
      join conversations c on c.workspace_id = m.workspace_id and c.id = m.conversation_id
        and c.agent_id = m.sender_id and c.status = 'open'
      where m.workspace_id = ${workspaceId} and m.id = any(${messageIds}::text[]) and m.sender_type = 'agent'
        and m.metadata ? 'ai'
        and not exists (select from messages a
          where a.workspace_id = m.workspace_id and a.conversation_id = m.conversation_id and a.id > m.id
            and a.sender_type = 'customer')
    ) i`,
  ).execute(db)
}
