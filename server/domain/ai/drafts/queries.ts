// SQL of drafts of replies. What an actor may see of them follows the conversation; a draft that somebody asked for is
// theirs alone.
import { sql } from 'kysely'
import { actorId } from '../../../platform/ctx/actor.ts'
import type { Ctx } from '../../../platform/ctx/ctx.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { rowsOf } from '../../../platform/db/rows-of.ts'
import { storableJson } from '../../../platform/db/storable-json.ts'
import type { AI_OUTCOMES, DRAFT_STATES } from '../../../platform/db/tables.ts'
import { traceparent } from '../../../platform/tracing.ts'
import { seenBy } from '../../visible-conversations.ts'
import type { Thought } from '../think.ts'
import { TURNS_CHANNEL, type TurnRef } from '../turn-queries.ts'
import type { DraftSource, ReplyDraft } from './schema.ts'

const SHOWN_MAX = 5
const isMine = ({ actor }: Ctx, alias: string) =>
  sql`(${sql.ref(`${alias}.asked_by`)} is null or ${sql.ref(`${alias}.asked_by`)} = ${actorId(actor)})`

const wroteSince = (
  { workspaceId }: Ctx,
  senders: readonly string[],
  since: ReturnType<typeof sql.ref>,
) => sql`
  exists (select from messages m where m.workspace_id = ${workspaceId} and m.conversation_id = c.id
    and m.sender_type = any(${senders}::text[]) and m.id > coalesce(${since}, ''))`

const [OURS, CUSTOMER] = [['agent', 'automation'], ['customer']]

/** Whether the AI agent of a workspace may be asked; `s` are its settings. */
export const isAvailable = ({ workspaceId, isAiOff = false }: Ctx) => sql<boolean>`not (
  ${isAiOff} or coalesce(s.is_stopped, false)) and exists (
  select from memberships a join accounts k on k.id = a.account_id
  where a.workspace_id = ${workspaceId} and a.removed_at is null and k.is_ai)`

export type DraftsRow = {
  isAvailable: boolean
  hasModel: boolean
  isWriting: boolean
  drafts: ReplyDraft[]
  without: { reason: string; summary: string } | null
}

/** Undefined if the actor may not see the conversation. A draft is gone once anybody has replied. */
export const findDrafts = async (ctx: Ctx, conversationId: string): Promise<DraftsRow | undefined> => {
  const { db, workspaceId, actor } = ctx
  const { rows } = await sql<DraftsRow>`
    select ${isAvailable(ctx)} as "isAvailable",
      exists (select from ai_providers p where p.workspace_id = ${workspaceId} and p.is_enabled) as "hasModel",
      coalesce(t.state <> 'ended', false) as "isWriting",
      case when t.outcome in ('handed_over', 'silent')
        and not ${wroteSince(ctx, [...OURS, ...CUSTOMER], sql.ref('t.id'))} then json_build_object(
          'reason', coalesce(t.decision ->> 'reason', 'silent'),
          'summary', coalesce(t.decision ->> 'summary', '')) end as without,
      coalesce((
        select json_agg(json_build_object('id', d.id, 'text', d.text, 'sources', d.sources,
          'isStale', ${wroteSince(ctx, CUSTOMER, sql.ref('d.last_message_id'))},
          'isWithheld', d.is_withheld, 'isForMe', d.asked_by is not null,
          'program', (select k.name from api_tokens k
            where k.workspace_id = ${workspaceId} and 'api:' || k.id = d.proposed_by),
          'createdAt', to_char(d.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by d.id)
        from (
          select d.*, w.id is not null as is_withheld from reply_drafts d
          left join ai_turns w on w.workspace_id = ${workspaceId} and w.id = d.turn_id and w.kind = 'reply'
          where d.workspace_id = ${workspaceId} and d.conversation_id = c.id and d.state = 'offered'
            and ${isMine(ctx, 'd')} and (d.turn_id is null or d.turn_id = t.id or w.id is not null)
            and not ${wroteSince(ctx, OURS, sql.ref('d.last_message_id'))}
          order by d.id desc limit ${SHOWN_MAX}::integer
        ) d), '[]') as drafts
    from conversations c
    left join ai_settings s on s.workspace_id = ${workspaceId}
    left join lateral (
      select * from ai_turns t
      where t.workspace_id = ${workspaceId} and t.conversation_id = c.id and t.kind = 'draft' and ${isMine(ctx, 't')}
      order by t.id desc limit 1
    ) t on true
    where c.workspace_id = ${workspaceId} and c.id = ${conversationId}${seenBy(actor, 'c')}`.execute(db)
  return rows[0]
}

/**
 * Adds a turn that writes a draft for the actor, unless one does so already, and settles the drafts that it replaces.
 * False if the AI agent may not be asked. The caller has checked that the actor may see the conversation.
 */
export const insertDraftTurn = async (ctx: Ctx, conversationId: string): Promise<boolean> => {
  const { db, workspaceId, actor, newId, now } = ctx
  const { rows } = await sql<{ isAvailable: boolean }>`
    with asked as (
      select c.id, ${isAvailable(ctx)} as "isAvailable" from conversations c
      left join ai_settings s on s.workspace_id = ${workspaceId}
      where c.workspace_id = ${workspaceId} and c.id = ${conversationId}
    ), replaced as (
      update reply_drafts d set settled_at = ${now()}, settled_by = ${actorId(actor)},
        state = case when ${wroteSince(ctx, CUSTOMER, sql.ref('d.last_message_id'))} then 'stale' else 'dismissed' end
      from asked c
      where c."isAvailable" and d.workspace_id = ${workspaceId} and d.conversation_id = c.id and d.state = 'offered'
        and ${isMine(ctx, 'd')}
    ), added as (
      insert into ai_turns (workspace_id, id, conversation_id, kind, asked_by, state, due_at, created_at,
        traceparent)
      select ${workspaceId}, ${newId()}, c.id, 'draft', ${actorId(actor)}, 'waiting', ${now()}, ${now()},
        ${traceparent()}::text
      from asked c where c."isAvailable"
      on conflict (workspace_id, conversation_id, asked_by) where state <> 'ended' and kind = 'draft' do nothing
      returning pg_notify(${TURNS_CHANNEL}, '')
    )
    select "isAvailable", (select count(*) from added) from asked`.execute(db)
  return rows[0]?.isAvailable ?? false
}

/** A program's draft for everyone, instead of the one that it left before. The caller has locked the conversation. */
export const insertProposedDraft = async (
  { db, workspaceId, actor, newId, now }: Ctx,
  { conversationId, text }: { conversationId: string; text: string },
): Promise<string> => {
  const id = newId()
  await sql`
    with replaced as (
      update reply_drafts set settled_at = ${now()}, settled_by = ${actorId(actor)}, state = 'dismissed'
      where workspace_id = ${workspaceId} and conversation_id = ${conversationId} and state = 'offered'
        and proposed_by = ${actorId(actor)}
    )
    insert into reply_drafts (workspace_id, id, conversation_id, proposed_by, text, last_message_id, created_at)
    values (${workspaceId}, ${id}, ${conversationId}, ${actorId(actor)}, ${text}, (
      select max(m.id) from messages m
      where m.workspace_id = ${workspaceId} and m.conversation_id = ${conversationId}), ${now()})`.execute(db)
  return id
}

type NewDraft = { id: string; text: string; sources: DraftSource[] }

/**
 * Ends a turn with its drafts. Undefined if the try is over: something newer came, or the agent was stopped. What the
 * turn found is kept with it, as that of a reply.
 */
export const endDraftTurn = async (
  ctx: Ctx,
  { id, revision, tries }: TurnRef,
  ended: {
    thought: Thought
    outcome: (typeof AI_OUTCOMES)[number]
    lastMessageId: string | null
    drafts: readonly NewDraft[]
    proposedBy: string
  },
): Promise<{ conversationId: string } | undefined> => {
  const { db, workspaceId, now } = ctx
  const { thought, outcome, lastMessageId, drafts, proposedBy } = ended
  const { question, decision, version = null } = thought
  const { rows } = await sql<{ conversationId: string }>`
    with turn as (
      update ai_turns set state = 'ended', outcome = ${outcome}, ended_at = ${now()}, claimed_by = null,
        claimed_at = null, question = ${question.replaceAll('\0', '').toWellFormed()},
        decision = ${storableJson(decision)}::jsonb, version = ${version}::integer
      where workspace_id = ${workspaceId} and id = ${id} and state = 'thinking' and revision = ${revision}
        and tries = ${tries}
      returning id, conversation_id, asked_by
    ), added as (
      insert into reply_drafts (workspace_id, id, conversation_id, turn_id, proposed_by, asked_by, text, sources,
        last_message_id, created_at)
      select ${workspaceId}, d.id, t.conversation_id, t.id, ${proposedBy}, t.asked_by, d.text, d.sources,
        ${lastMessageId}, ${now()}
      from turn t cross join ${rowsOf(drafts)} as d (id text, text text, sources jsonb)
      where d.id is not null
    )
    select conversation_id as "conversationId" from turn`.execute(db)
  return rows[0]
}

/** Which of these items customers may not see. */
export const listInternal = async (
  { db, workspaceId }: Ctx,
  itemIds: readonly string[],
): Promise<Set<string>> => {
  if (itemIds.length === 0) return new Set()
  const { rows } = await sql<{ id: string }>`
    select id from knowledge_items
    where workspace_id = ${workspaceId} and id = any(${itemIds}::text[]) and is_internal`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/** The actor threw the drafts of a turn away; those that were sent stay as they are. False if they may not see them. */
export const dismissDrafts = async (ctx: Ctx, draftId: string): Promise<boolean> => {
  const { db, workspaceId, actor, now } = ctx
  const { rows } = await sql`
    with found as (
      select d.id, d.turn_id, d.conversation_id from reply_drafts d
      join conversations c on c.workspace_id = d.workspace_id and c.id = d.conversation_id
      where d.workspace_id = ${workspaceId} and d.id = ${draftId} and ${isMine(ctx, 'd')}${seenBy(actor, 'c')}
    ), dismissed as (
      update reply_drafts d set state = 'dismissed', settled_at = ${now()}, settled_by = ${actorId(actor)}
      from found f
      where d.workspace_id = ${workspaceId} and d.conversation_id = f.conversation_id and d.state = 'offered'
        and (d.id = f.id or d.turn_id = f.turn_id)
    )
    select from found`.execute(db)
  return rows.length > 0
}

/** Of this conversation and for this actor, not sent yet. */
export const lockDraft = async (
  ctx: Ctx,
  { draftId, conversationId }: { draftId: string; conversationId: string },
): Promise<{ text: string } | undefined> => {
  const { db, workspaceId } = ctx
  const { rows } = await sql<{ text: string }>`
    select d.text from reply_drafts d
    where d.workspace_id = ${workspaceId} and d.id = ${draftId} and d.conversation_id = ${conversationId}
      and ${isMine(ctx, 'd')} and d.message_id is null
    for no key update`.execute(db)
  return rows[0]
}

type Sent = { draftId: string; messageId: string; state: (typeof DRAFT_STATES)[number]; similarity: number }

/** With the other choices of its turn, which nobody needs any more. */
export const settleDraft = async (
  ctx: Ctx,
  { draftId, messageId, state, similarity }: Sent,
): Promise<void> => {
  const { db, workspaceId, actor, now } = ctx
  await sql`
    update reply_drafts d set settled_at = ${now()}, settled_by = ${actorId(actor)},
      state = case when d.id = ${draftId} then ${state} else 'dismissed' end,
      message_id = case when d.id = ${draftId} then ${messageId} end,
      similarity = case when d.id = ${draftId} then ${similarity}::real end
    from reply_drafts s
    where s.workspace_id = ${workspaceId} and s.id = ${draftId} and d.workspace_id = ${workspaceId}
      and d.conversation_id = s.conversation_id
      and (d.id = s.id or (d.turn_id = s.turn_id and d.state = 'offered'))`.execute(db)
}

/** Returns how many were deleted. */
export const deleteOldDrafts = async (db: Db, createdBefore: Date, limit: number): Promise<number> => {
  const { numAffectedRows } = await sql`
    delete from reply_drafts where (workspace_id, id) in (
      select workspace_id, id from reply_drafts
      where created_at < ${createdBefore} order by created_at limit ${limit}::integer)`.execute(db)
  return Number(numAffectedRows ?? 0)
}
