// What people see of automation in a conversation.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { ActiveRun, AutomationPause } from './schema.ts'
import { isPaused } from './states.ts'

/** Undefined while automation isn't paused. */
export const findPause = async (
  { db, workspaceId, now }: Ctx,
  conversationId: string,
): Promise<AutomationPause | undefined> => {
  const { rows } = await sql<AutomationPause>`
    select s.pause_reason as reason, s.paused_until as until, s.paused_by as by, coalesce(a.nickname, f.name) as "byName"
    from automation_states s
    left join accounts a on a.id = s.paused_by
    left join flows f on f.workspace_id = s.workspace_id and 'flow:' || f.id = s.paused_by
    where s.workspace_id = ${workspaceId} and s.conversation_id = ${conversationId} and ${isPaused('s', now())}`.execute(
    db,
  )
  return rows[0]
}

/** A conversation has one dialog; of background flows only the oldest are shown. */
const RUNS_MAX = 20

/** The runs of the conversation, dialogs first. A dialog that waits for a part of itself is shown as that part. */
export const listActiveRuns = async (
  { db, workspaceId }: Ctx,
  conversationId: string,
): Promise<ActiveRun[]> => {
  const { rows } = await sql<ActiveRun>`
    select id, flow_id as "flowId", flow_name as "flowName", is_dialog as "isDialog", waiting_for as "waitingFor",
      wakes_at as "wakesAt", started_at as "startedAt"
    from flow_runs
    where workspace_id = ${workspaceId} and conversation_id = ${conversationId} and status = 'running'
      and waiting_for is distinct from 'part'
    order by is_dialog desc, id
    limit ${RUNS_MAX}::integer`.execute(db)
  return rows
}
