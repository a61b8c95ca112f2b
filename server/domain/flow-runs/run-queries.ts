// SQL of reading runs. The conductor writes them.
import { sql } from 'kysely'
import type { RunState } from '../../../flow-engine/contract.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { ownConversation } from './own-runs.ts'
import { type FlowRun, type FlowRunAnswer, type FlowRunsQuery, STEPS_SHOWN_MAX } from './schema.ts'

export type RunRow = Omit<FlowRun, 'endMessage'>

const time = (column: string) =>
  sql<string>`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

const RUN = sql<RunRow>`r.id, r.flow_id as "flowId", r.flow_name as "flowName", r.version,
  r.contact_id as "contactId", r.conversation_id as "conversationId", r.status, r.end_reason as "endReason",
  r.is_test as "isTest",
  case when r.waiting_for is not null then json_build_object('for', r.waiting_for, 'stepId', r.waiting_step,
    'until', ${time('r.wakes_at')}) end as waiting,
  r.steps_taken as "stepsTaken", r.messages_sent as "messagesSent", ${time('r.started_at')} as "startedAt",
  ${time('r.completed_at')} as "completedAt"`

type Wanted = Pick<FlowRunsQuery, 'flowId' | 'conversationId' | 'contactId' | 'status'> & {
  /** Only runs that are older than this one. */
  before: string | undefined
  limit: number
}

/** Runs, the newest first. */
export const listRunRows = async (
  ctx: Ctx,
  { flowId, conversationId, contactId, status, before, limit }: Wanted,
): Promise<RunRow[]> => {
  const { db, workspaceId } = ctx
  const isWanted = (column: string, value: string | undefined) =>
    value === undefined ? sql`` : sql` and ${sql.ref(column)} = ${value}`
  const page = (more = sql``) => sql`select * from flow_runs r
    where r.workspace_id = ${workspaceId}${isWanted('r.flow_id', flowId)}
      ${isWanted('r.conversation_id', conversationId)}${isWanted('r.contact_id', contactId)}
      ${isWanted('r.status', status)}${before === undefined ? sql`` : sql` and r.id < ${before}`}
      ${more}${ownConversation(ctx.actor)}
    order by r.id desc limit ${limit}`
  // The index of a flow's runs is by status: four walks of a page each instead of one through all of them.
  const rows =
    flowId !== undefined && status === undefined && conversationId === undefined && contactId === undefined
      ? sql`select r.* from unnest(array['running', 'completed', 'failed', 'cancelled']) s (status)
          cross join lateral (${page(sql` and r.status = s.status`)}) r`
      : page()
  const { rows: found } = await sql<RunRow>`
    select ${RUN} from (${rows}) r order by r.id desc limit ${limit}`.execute(db)
  return found
}

type Found = RunRow & {
  cause: object | null
  state: RunState | null
  steps: FlowRunAnswer['run']['steps']
}

/** A run with what it did, in one statement; undefined also if the actor may not see its conversation. */
export const findRun = async (ctx: Ctx, runId: string): Promise<Found | undefined> => {
  const { db, workspaceId, actor } = ctx
  const { rows } = await sql<Found>`
    select ${RUN}, r.cause, r.state,
      (select coalesce(json_agg(json_build_object('seq', s.seq, 'stepId', s.step_id, 'type', s.type,
          'outcome', s.outcome, 'detail', s.detail, 'messageId', s.message_id,
          'createdAt', ${time('s.created_at')}) order by s.seq), '[]')
        from (select * from flow_run_steps where workspace_id = r.workspace_id and run_id = r.id
          order by seq limit ${STEPS_SHOWN_MAX}) s) as steps
    from flow_runs r
    where r.workspace_id = ${workspaceId} and r.id = ${runId}${ownConversation(actor)}`.execute(db)
  return rows[0]
}
