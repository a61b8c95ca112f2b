// What automation has yet to look at. The automation_inputs table is the queue: a row is written by the transaction in
// which something happened, announced by its commit, and deleted by the sprint that used it.
import { type RawBuilder, sql } from 'kysely'
import type { RunStatus } from '../../../flow-engine/contract.ts'
import type { EndReason } from '../../../flow-engine/end-reasons.ts'
import type { Json } from '../../../flow-engine/paths.ts'
import type { Cause } from '../../../flow-engine/triggers.ts'
import type { Actor } from '../../platform/ctx/actor.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { isAtWork } from '../../platform/db/closed-workspaces.ts'
import type { Db } from '../../platform/db/pool.ts'
import { rowsOf } from '../../platform/db/rows-of.ts'
import type { CallOutcome } from '../../platform/db/tables.ts'
import { traceparent } from '../../platform/tracing.ts'

/** Something that happened to a conversation or its contact: what triggers need, beside what the conductor reads. */
export type HappenedData = Pick<Cause, 'on' | 'by' | 'to' | 'tagId' | 'field'> & {
  /** The flow's run that did it; null for everyone else. */
  runId: string | null
}

type Variables = Record<string, Json>

/** `message`: a customer's; `isReopening`: it reopened the conversation. */
type Input = { conversationId: string } & (
  | { kind: 'message'; messageId: string; data?: { isReopening: true } }
  | { kind: 'event'; data: HappenedData }
  /** A run that is stored and has yet to begin. */
  | { kind: 'start'; runId: string; data: { variables: Variables } }
  /** A person wrote, took over or closed. The runs are cancelled already, what they had yet to send is withdrawn. */
  | { kind: 'interrupted'; data: { by: string; reason: EndReason; runIds: string[] } }
  | {
      kind: 'call'
      runId: string
      data: { token: number; outcome: CallOutcome; kept: Json }
    }
  | {
      kind: 'part'
      runId: string
      data: {
        token: number
        status: Exclude<RunStatus, 'running'>
        endReason: EndReason
        variables: Variables
      }
    }
  /** The AI agent has thought about its turn. */
  | { kind: 'thought'; data: { turnId: string; revision: number } }
  /** An action that it proposed was called. `problem`: for people. */
  | {
      kind: 'ai_action'
      data: { proposalId: string; outcome: CallOutcome; kept: Json; problem: string | null }
    }
  /** Its settings have changed: whether it may still reply here has to be looked at again. */
  | { kind: 'ai_settings'; data?: null }
  /** What it said was refused for good. */
  | { kind: 'ai_undelivered'; data?: null }
  /** To cancel a run. `by` as actorId gives it; `toPeople`: a customer in the middle of it is handed over. */
  | { kind: 'cancel'; runId: string; data: { reason: EndReason; by: string; toPeople?: boolean } }
)

/**
 * `onlyIfBusy`: the message starts nothing, so it is dropped unless a run or the AI agent has the conversation, an
 * earlier input waits, which may start one, or the customer was asked for an address. `agentId`: the conversation's.
 */
export type NewInput = Input & { onlyIfBusy?: { agentId: string | null } }

/** One of those that wait, in the order of their ids within a conversation. */
export type AutomationInput = Input & {
  id: number
  createdAt: string
  /** The trace in which it happened. */
  traceparent?: string | null
}

/** Who caused something, in the words of triggers. */
export const causedBy = (actor: Actor): Pick<HappenedData, 'by' | 'runId'> => {
  switch (actor.type) {
    case 'agent':
      return { by: 'team', runId: null }
    case 'customer':
      return { by: 'customer', runId: null }
    case 'token':
      return { by: 'api', runId: null }
    case 'flow':
      return { by: 'automation', runId: actor.runId }
    default:
      return { by: 'automation', runId: null }
  }
}

/**
 * Hands inputs to automation, in order, and notifies workers with the commit. Runs in the caller's transaction, which
 * holds the contact's lock, in one statement. Messages and events are dropped where the workspace has nothing that
 * could use them (workspaces.is_automated); the rest belongs to runs that exist.
 */
export const addInputs = async (ctx: Ctx, inputs: readonly NewInput[]): Promise<void> => {
  if (inputs.length > 0) await inputsInsert(ctx, inputs).execute(ctx.db)
}

export const AUTOMATION_CHANNEL = 'foyer_automation'

/**
 * `addInputs` as part of a larger statement. PostgreSQL sends equal notifications of a transaction once, so there is
 * one for each conversation.
 */
export const inputsInsert = (ctx: Ctx, inputs: readonly NewInput[]) =>
  inputsFrom(
    ctx,
    sql`${rowsOf(inputs.map((input, at) => ({ ...input, at })))} as i
      ("conversationId" text, kind text, "messageId" text, "runId" text, data jsonb, "onlyIfBusy" jsonb, at integer)
      join workspaces w on w.id = ${ctx.workspaceId} and (w.is_automated or i.kind not in ('message', 'event'))
        and (i."onlyIfBusy" is null
          or exists (select from automation_inputs q
            where q.workspace_id = w.id and q.conversation_id = i."conversationId")
          or exists (select from flow_runs r where r.workspace_id = w.id and r.conversation_id = i."conversationId"
            and r.status = 'running')
          or exists (select from automation_states s where s.workspace_id = w.id
            and s.conversation_id = i."conversationId" and s.guards -> 'addressAskedAt' is not null)
          or exists (select from accounts a where a.id = i."onlyIfBusy" ->> 'agentId' and a.is_ai))`,
  )

/** The same for inputs that only the larger statement knows: `from` names them `i` and numbers them with `at`. */
export const inputsFrom = ({ workspaceId, now }: Ctx, from: RawBuilder<unknown>) => sql`
  insert into automation_inputs (workspace_id, conversation_id, kind, message_id, run_id, data, traceparent,
    created_at)
  select ${workspaceId}, i."conversationId", i.kind, i."messageId", i."runId", i.data, ${traceparent()}::text, ${now()}
  from ${from}
  order by i.at
  returning ${announcement(sql`conversation_id`, workspaceId)}`

/** Part of a statement after which automation has something to do in a conversation. */
export const announcement = (conversationId: RawBuilder<unknown>, workspaceId: string) =>
  sql`pg_notify(${AUTOMATION_CHANNEL}, ${workspaceId}::text || ' ' || ${conversationId})`

type Place = { workspaceId: string; conversationId: string }

export const readAnnouncement = (payload: string): Place | undefined => {
  const [workspaceId, conversationId] = payload.split(' ')
  return workspaceId && conversationId ? { workspaceId, conversationId } : undefined
}

type UsedInput = Pick<AutomationInput, 'conversationId' | 'id'>

/** In the transaction of the sprint that used them. */
export const deleteInputs = async (ctx: Ctx, inputs: readonly UsedInput[]): Promise<void> => {
  await inputsDelete(ctx, inputs).execute(ctx.db)
}

/** `deleteInputs` as part of a larger statement. */
export const inputsDelete = ({ workspaceId }: Ctx, inputs: readonly UsedInput[]) => sql`
  delete from automation_inputs i
  using unnest(
    ${inputs.map(({ conversationId }) => conversationId)}::text[], ${inputs.map(({ id }) => id)}::bigint[]
  ) used (conversation_id, id)
  where i.workspace_id = ${workspaceId} and i.conversation_id = used.conversation_id and i.id = used.id`

/** How many inputs wait, and how long the oldest has. */
export const readInputQueue = async (db: Db): Promise<{ depth: number; oldestSeconds: number }> => {
  const { rows } = await sql<{ depth: number; oldestSeconds: number }>`
    select count(*)::integer as depth,
      greatest(0, coalesce(extract(epoch from now() - min(created_at)), 0))::float8 as "oldestSeconds"
    from automation_inputs where ${isAtWork('workspace_id')}`.execute(db)
  return rows[0]!
}
