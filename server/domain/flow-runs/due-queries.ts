// SQL of what the conductor has to do in all workspaces.
import { sql } from 'kysely'
import { isAtWork } from '../../platform/db/closed-workspaces.ts'
import type { Db } from '../../platform/db/pool.ts'
import { isReplyHeld } from '../outbox/queries.ts'

export type DueConversation = { workspaceId: string; conversationId: string }

/**
 * Conversations with inputs, with a run to wake, with a silence to look at or
 * with an episode of the AI agent that is over; of each kind those that have waited
 * longest. Some may be there twice. Those in which a person is about to reply wait for that.
 */
export const listDueConversations = async (
  db: Db,
  now: Date,
  eachMax: number,
): Promise<DueConversation[]> => {
  const { rows } = await sql<DueConversation>`
    (select workspace_id as "workspaceId", conversation_id as "conversationId" from automation_inputs
      where ${isOpen('automation_inputs')}
      order by created_at limit ${eachMax}::integer)
    union all
    (select workspace_id, conversation_id from flow_runs
      where status = 'running' and wakes_at <= ${now} and ${isOpen('flow_runs')}
      order by wakes_at limit ${eachMax}::integer)
    union all
    (select workspace_id, conversation_id from automation_states
      where silence_due_at <= ${now} and ${isOpen('automation_states')}
      order by silence_due_at limit ${eachMax}::integer)
    union all
    (select workspace_id, conversation_id from ai_outcomes
      where ended_at is null and quiet_at <= ${now} and ${isOpen('ai_outcomes')}
      order by quiet_at limit ${eachMax}::integer)`.execute(db)
  return rows
}

const isOpen = (table: 'automation_inputs' | 'flow_runs' | 'automation_states' | 'ai_outcomes') =>
  sql`not ${isReplyHeld(sql.ref(`${table}.workspace_id`), sql.ref(`${table}.conversation_id`))}
    and ${isAtWork(`${table}.workspace_id`)}`

/** Lines of runs from before a time. Returns how many were deleted. */
export const deleteOldSteps = async (db: Db, before: Date, limit: number): Promise<number> => {
  const { numAffectedRows } = await sql`
    delete from flow_run_steps where (workspace_id, run_id, seq) in (
      select workspace_id, run_id, seq from flow_run_steps where created_at < ${before}
      order by created_at limit ${limit}::integer)`.execute(db)
  return Number(numAffectedRows ?? 0)
}
