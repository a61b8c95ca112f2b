// SQL of what the conductor writes: runs, their steps, and the funnel. Each is a part of the one statement that stores a
// batch.
import { randomInt } from 'node:crypto'
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { rowsOf } from '../../platform/db/rows-of.ts'
import type { Place, Run, StepRow } from './place.ts'

/** Each count is the sum of this many rows, so that batches at once rarely wait for each other. */
const SHARDS = 16

/**
 * Stores new runs and what became of the others. Those that ended go first and those that wait for a part next: of the
 * dialogs of a conversation one may run at a time.
 */
export const runsSave = ({ workspaceId, now }: Ctx, runs: readonly { place: Place; run: Run }[]) => {
  const rows = runs.map(({ place, run }) => {
    const { state, status } = run
    const wait = state?.wait ?? null
    const isEnded = status !== 'running'
    return {
      place: isEnded ? 0 : wait?.for === 'part' ? 1 : 2,
      id: run.id,
      flowId: run.flowId,
      flowName: run.flowName,
      contactId: place.conversation.contactId,
      conversationId: place.conversation.id,
      status,
      startedAt: run.startedAt,
      completedAt: isEnded ? now() : null,
      version: run.version,
      isDialog: run.isDialog,
      isTest: run.isTest,
      cause: run.cause,
      state,
      waitingFor: wait?.for ?? null,
      waitingStep: wait?.stepId ?? null,
      wakesAt: wait?.until == null ? null : new Date(wait.until),
      wakeToken: wait?.token ?? null,
      stepsTaken: state?.stepsTaken ?? 0,
      messagesSent: state?.messagesSent ?? 0,
      stepsLogged: run.stepsLogged,
      endReason: state?.endReason ?? null,
      parentRunId: run.parentRunId,
    }
  })
  return sql`
    insert into flow_runs (workspace_id, id, flow_id, flow_name, contact_id, conversation_id, status, started_at,
      completed_at, version, is_dialog, is_test, cause, state, waiting_for, waiting_step, wakes_at, wake_token,
      steps_taken, messages_sent, steps_logged, end_reason, parent_run_id)
    select ${workspaceId}, id, "flowId", "flowName", "contactId", "conversationId", status, "startedAt",
      "completedAt", version, "isDialog", "isTest", cause, state, "waitingFor", "waitingStep", "wakesAt", "wakeToken",
      "stepsTaken", "messagesSent", "stepsLogged", "endReason", "parentRunId"
    from ${jsonRows(rows)} as r (
      place integer, id text, "flowId" text, "flowName" text, "contactId" text, "conversationId" text, status text,
      "startedAt" timestamptz, "completedAt" timestamptz, version integer, "isDialog" boolean, "isTest" boolean,
      cause jsonb, state json, "waitingFor" text, "waitingStep" text, "wakesAt" timestamptz, "wakeToken" integer,
      "stepsTaken" integer, "messagesSent" integer, "stepsLogged" integer, "endReason" text, "parentRunId" text)
    order by place, id
    on conflict (workspace_id, id) do update set
      status = excluded.status,
      completed_at = coalesce(flow_runs.completed_at, excluded.completed_at), state = excluded.state,
      waiting_for = excluded.waiting_for, waiting_step = excluded.waiting_step, wakes_at = excluded.wakes_at,
      wake_token = excluded.wake_token, steps_taken = excluded.steps_taken, messages_sent = excluded.messages_sent,
      steps_logged = excluded.steps_logged, end_reason = excluded.end_reason`
}

/** rowsOf without jsonb, which would change the order of a state's keys. */
const jsonRows = (rows: readonly object[]) => sql`json_to_recordset(${JSON.stringify(rows)}::json)`

export const stepsInsert = (
  { workspaceId, now }: Ctx,
  steps: readonly (Omit<StepRow, 'run'> & { runId: string; messageId: string | null })[],
) => sql`
    insert into flow_run_steps (workspace_id, run_id, seq, step_id, type, outcome, detail, message_id, created_at)
    select ${workspaceId}, "runId", seq, "stepId", type, outcome, detail, "messageId", ${now()}
    from ${rowsOf(steps)} as s (
      "runId" text, seq integer, "stepId" text, type text, outcome text, detail jsonb, "messageId" text)
    order by "runId", seq`

export type StepCount = { flowId: string; version: number; stepId: string; outcome: string; count: number }

/** In the last statement of a batch, because others may wait for these rows; all count in the same order. */
export const countsAdd = ({ workspaceId, now }: Ctx, counts: readonly StepCount[]) => sql`
    insert into flow_step_counts (workspace_id, flow_id, version, step_id, outcome, day, shard, count)
    select ${workspaceId}, "flowId", version, "stepId", outcome, (${now()}::timestamptz at time zone 'UTC')::date,
      ${randomInt(SHARDS)}::smallint, count
    from ${rowsOf(counts)} as c ("flowId" text, version integer, "stepId" text, outcome text, count bigint)
    order by "flowId" collate "C", version, "stepId" collate "C", outcome collate "C"
    on conflict (workspace_id, flow_id, version, step_id, outcome, day, shard)
      do update set count = flow_step_counts.count + excluded.count`
