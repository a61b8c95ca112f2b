// SQL of what the conductor reads of a batch of conversations. Each statement is made once for all of them.
import { sql } from 'kysely'
import type { RunState } from '../../../flow-engine/contract.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { CustomFields, Metadata, Tables } from '../../platform/db/tables.ts'
import { hasOutcomes } from '../ai/outcome-queries.ts'
import type { Proposal } from '../ai/proposals/proposal.ts'
import { proposalsJson } from '../ai/proposals/queries.ts'
import type { AiSettings } from '../ai/schema.ts'
import { SETTINGS_JSON, settingsHeld } from '../ai/settings-queries.ts'
import { TURN_JSON, type Turn } from '../ai/turn-queries.ts'
import type { AutomationInput } from '../automation/inputs.ts'
import type { BusinessHours } from '../business-hours/schema.ts'
import { type LockedConversation, lockedColumns } from '../conversations/queries.ts'
import { type ConversationCode, codeJson } from '../identity-codes/queries.ts'
import { isReplyHeld } from '../outbox/queries.ts'
import type { LastAsked, RunCause } from './place.ts'

/** Inputs of a conversation that one sprint takes; the rest come next. */
export const INPUTS_MAX = 50

export type LockedPlace = LockedConversation & {
  subject: string | null
  createdAt: string
  lastSenderType: string | null
  name: string
  email: string | null
  phone: string | null
  countryIso: string | null
  customFields: CustomFields
  conversationCount: number
  agentName: string | null
  isAi: boolean | null
}

/**
 * Locks those of the conversations, with their contacts, that nobody else holds at the moment: whoever holds one is
 * writing to it, and the rest of the batch doesn't wait for them. Contacts before conversations (decision 0004). The AI
 * agent's settings, which are read later, don't change until the batch is done.
 */
export const lockPlaces = async (ctx: Ctx, conversationIds: readonly string[]): Promise<LockedPlace[]> => {
  const { db, workspaceId } = ctx
  const { rows } = await sql<LockedPlace>`
    with held as materialized (select ${settingsHeld(ctx)})
    select ${lockedColumns(ctx)},
      c.subject, c.created_at as "createdAt",
      c.last_message_sender_type as "lastSenderType", k.name, k.email, k.phone,
      k.country_iso as "countryIso", k.custom_fields as "customFields", k.conversation_count as "conversationCount",
      a.nickname as "agentName", a.is_ai as "isAi"
    from conversations c
    join contacts k on k.workspace_id = c.workspace_id and k.id = c.contact_id
    left join accounts a on a.id = c.agent_id
    cross join held
    where c.workspace_id = ${workspaceId} and c.id = any(${conversationIds}::text[])
    order by k.id, c.id
    for no key update of k, c skip locked`.execute(db)
  return rows
}

export type InputRow = AutomationInput & {
  body: string | null
  metadata: Metadata | null
  messageAt: string | null
  isFirst: boolean | null
  attachments: { id: string; type: string; name: string }[] | null
}

/** In order. `isFirst`: the message is the conversation's first, lines of the system aside. */
export const listInputs = async (
  { db, workspaceId }: Ctx,
  conversationIds: readonly string[],
): Promise<InputRow[]> => {
  const { rows } = await sql<InputRow>`
    select i.conversation_id as "conversationId", i.id, i.kind, i.message_id as "messageId", i.run_id as "runId",
      i.data, i.created_at as "createdAt", i.traceparent, m.body, m.metadata, m.created_at as "messageAt",
      m.id is not null and not exists (select from messages e
        where e.workspace_id = ${workspaceId} and e.conversation_id = i.conversation_id and e.id < m.id
          and e.sender_type <> 'system') as "isFirst",
      case when m.id is not null then (
        select json_agg(json_build_object('id', f.id, 'type', f.type, 'name', f.name) order by f.id)
        from attachments f where f.workspace_id = ${workspaceId} and f.message_id = m.id) end as attachments
    from unnest(${conversationIds}::text[]) c (id)
    cross join lateral (
      select * from automation_inputs
      where workspace_id = ${workspaceId} and conversation_id = c.id
      order by id
      limit ${INPUTS_MAX}::integer
    ) i
    left join messages m on m.workspace_id = ${workspaceId} and m.id = i.message_id
    order by i.conversation_id, i.id`.execute(db)
  return rows
}

export type RunRow = {
  id: string
  conversationId: string
  flowId: string
  flowName: string
  version: number | null
  isDialog: boolean
  isTest: boolean
  startedAt: string
  cause: RunCause | null
  state: RunState | null
  status: Tables['flow_runs']['status']
  endReason: RunState['endReason']
  parentRunId: string | null
  stepsLogged: number
}

const runColumns = sql`id, conversation_id as "conversationId", flow_id as "flowId", flow_name as "flowName", version,
  is_dialog as "isDialog", is_test as "isTest", started_at as "startedAt", cause, state, status,
  end_reason as "endReason", parent_run_id as "parentRunId", steps_logged as "stepsLogged"`

/** The runs of the conversations that run, and those named, which may have ended. The oldest first. */
export const listRuns = async (
  { db, workspaceId }: Ctx,
  conversationIds: readonly string[],
  runIds: readonly string[],
): Promise<RunRow[]> => {
  const { rows } = await sql<RunRow>`
    select ${runColumns} from flow_runs
    where workspace_id = ${workspaceId} and conversation_id = any(${conversationIds}::text[])
      and status = 'running'
    union all
    select ${runColumns} from flow_runs
    where workspace_id = ${workspaceId} and id = any(${runIds}::text[])
      and conversation_id = any(${conversationIds}::text[]) and status <> 'running'
    order by id`.execute(db)
  return rows
}

export type ContactRow = {
  conversationId: string
  tags: { id: string; name: string }[]
  /** Of the contact's latest browser. */
  locale: string | null
  unreachable: 'blocked' | 'opted_out' | null
  lastInboundAt: string | null
  lastStarts: Record<string, number> | null
  /** Of the conversation; null, as what follows, until automation has spoken or was paused. */
  guards: Record<string, unknown> | null
  pausedAt: string | null
  pausedUntil: string | null
  pauseReason: string | null
  silenceDueAt: string | null
  /** The AI agent's, if one isn't over. */
  turn: Turn | null
  proposals: Proposal[]
  /** It took part here before. */
  code: ConversationCode | null
  hasOutcomes: boolean
  lastAsked: LastAsked | null
  /** A person has pressed Send and can still undo it. */
  isReplyHeld: boolean
  lastWords: LastWords | null
}

/** Who last said something, if it wasn't automatic: neither flows nor out-of-office replies and the like count. */
export type LastWords = { of: 'customer' | 'agent'; at: string }

const LAST_ASKED_WITHIN_MS = 24 * 3_600_000
/** A program that has written this often in a row is answered by nobody. */
const LAST_WORDS_WITHIN = 60

/**
 * What the contacts of the conversations have, when each of the flows was last started for them, and the state of
 * automation there, with the proposals of the turns named.
 */
export const listContacts = async (
  { db, workspaceId, now }: Ctx,
  places: readonly Pick<LockedConversation, 'id' | 'contactId' | 'channelAccountId' | 'channel'>[],
  { flowIds, turnIds }: { flowIds: readonly string[]; turnIds: readonly string[] },
): Promise<ContactRow[]> => {
  const { rows } = await sql<ContactRow>`
    select q.id as "conversationId",
      (select coalesce(json_agg(json_build_object('id', t.id, 'name', t.name) order by t.name_key), '[]'::json)
        from contact_tags ct join tags t on t.workspace_id = ${workspaceId} and t.id = ct.tag_id
        where ct.workspace_id = ${workspaceId} and ct.contact_id = q.contact) as tags,
      (select locale from visitors
        where workspace_id = ${workspaceId} and contact_id = q.contact and locale is not null
        order by seen_at desc limit 1) as locale,
      (select p.unreachable_reason from identities i
        join channel_people p on p.workspace_id = ${workspaceId} and p.channel_account_id = q.account
          and p.external_id = i.value
        where i.workspace_id = ${workspaceId} and i.contact_id = q.contact and i.kind = q.channel
          and p.unreachable_since is not null
        limit 1) as unreachable,
      (select max(last_inbound_at) from conversations
        where workspace_id = ${workspaceId} and contact_id = q.contact
          and channel_account_id = q.account) as "lastInboundAt",
      (select json_object_agg(flow_id, ms) from (
        select flow_id, floor(extract(epoch from max(started_at)) * 1000)::bigint as ms from flow_runs
        where workspace_id = ${workspaceId} and contact_id = q.contact and flow_id = any(${flowIds}::text[])
        group by flow_id) s) as "lastStarts",
      s.guards, s.paused_at as "pausedAt", s.paused_until as "pausedUntil", s.pause_reason as "pauseReason",
      s.silence_due_at as "silenceDueAt", ${TURN_JSON} as turn,
      ${proposalsJson(workspaceId, sql.ref('q.id'), turnIds)} as proposals,
      ${codeJson(workspaceId, sql.ref('q.id'))} as code,
      ${hasOutcomes(workspaceId, sql.ref('q.id'))} as "hasOutcomes",
      (select json_build_object('question', a.question, 'titles', coalesce((
            select json_agg(e ->> 'title') from jsonb_array_elements(
              coalesce(a.decision -> 'sources', '[]') || jsonb_build_array(a.decision -> 'source')) e
            where e ->> 'title' is not null), '[]'))
        from ai_turns a
        where a.workspace_id = ${workspaceId} and a.conversation_id = q.id and a.kind = 'reply'
          and a.question <> '' and a.message_id is not null
          and a.created_at > ${new Date(now().getTime() - LAST_ASKED_WITHIN_MS)}
        order by a.id desc limit 1) as "lastAsked",
      ${isReplyHeld(workspaceId, sql.ref('q.id'))} as "isReplyHeld",
      (select json_build_object('of', m.sender_type, 'at', m.created_at) from (
          select sender_type, created_at, metadata from messages
          where workspace_id = ${workspaceId} and conversation_id = q.id and sender_type in ('customer', 'agent')
          order by id desc limit ${LAST_WORDS_WITHIN}::integer) m
        where m.sender_type = 'agent' or m.metadata ->> 'automatic' is null
        limit 1) as "lastWords"
    from unnest(
      ${places.map(({ id }) => id)}::text[], ${places.map(({ contactId }) => contactId)}::text[],
      ${places.map(({ channelAccountId }) => channelAccountId)}::text[],
      ${places.map(({ channel }) => channel)}::text[]
    ) q (id, contact, account, channel)
    left join automation_states s on s.workspace_id = ${workspaceId} and s.conversation_id = q.id
    left join ai_turns t on t.workspace_id = ${workspaceId} and t.conversation_id = q.id and t.state <> 'ended' and t.kind = 'reply'`.execute(
    db,
  )
  return rows
}

export type WorkspaceFacts = {
  name: string
  /** Whether the AI agent is a member. */
  hasAi: boolean
  /** Whether it has a model. */
  hasModel: boolean
  /** Null: the defaults. */
  ai: AiSettings | null
  automationRevision: number
  /** The default ones first, then by name. */
  hours: BusinessHours[]
}

export const findWorkspaceFacts = async ({ db, workspaceId }: Ctx): Promise<WorkspaceFacts> => {
  const { rows } = await sql<WorkspaceFacts>`
    select w.name, w.automation_revision as "automationRevision",
      exists (select from memberships m
        where m.workspace_id = w.id and m.role = 'ai' and m.removed_at is null) as "hasAi",
      exists (select from ai_providers p where p.workspace_id = w.id and p.is_enabled) as "hasModel",
      (select ${SETTINGS_JSON} from ai_settings s where s.workspace_id = w.id) as ai,
      (select coalesce(json_agg(json_build_object('id', h.id, 'name', h.name, 'isDefault', h.is_default,
          'timeZone', h.time_zone, 'weekly', h.weekly, 'exceptions', h.exceptions)
          order by h.is_default desc, h.name_key), '[]'::json)
        from business_hours h where h.workspace_id = w.id) as hours
    from workspaces w where w.id = ${workspaceId}`.execute(db)
  return rows[0]!
}

/** How many open conversations each agent has, and when they were last assigned one of them. */
export const listWorkloads = async (
  { db, workspaceId }: Ctx,
  agentIds: readonly string[],
): Promise<{ agentId: string; open: number; assignedAt: string | null }[]> => {
  const { rows } = await sql<{ agentId: string; open: number; assignedAt: string | null }>`
    select a.id as "agentId", count(c.id)::integer as open, max(c.assigned_at) as "assignedAt"
    from unnest(${agentIds}::text[]) with ordinality a (id, place)
    left join conversations c on c.workspace_id = ${workspaceId} and c.agent_id = a.id and c.status = 'open'
    group by a.id, a.place
    order by a.place`.execute(db)
  return rows
}
