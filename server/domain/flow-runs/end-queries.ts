// SQL that ends runs without the engine.
import { sql } from 'kysely'
import type { EndReason } from '../../../flow-engine/end-reasons.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'

/** Ends what runs in a conversation. The caller holds the contact's lock. */
export const endRunRows = async (
  { db, workspaceId, now }: Ctx,
  conversationId: string,
  status: 'failed' | 'cancelled',
  reason: EndReason,
): Promise<{ id: string; flowId: string }[]> => {
  const { rows } = await sql<{ id: string; flowId: string }>`
    update flow_runs set status = ${status}, end_reason = ${reason}, completed_at = ${now()}, waiting_for = null,
      waiting_step = null, wakes_at = null, wake_token = null
    where workspace_id = ${workspaceId} and conversation_id = ${conversationId} and status = 'running'
    returning id, flow_id as "flowId"`.execute(db)
  return rows
}
