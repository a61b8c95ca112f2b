// All SQL of gaps. Who may see a conversation may see its questions.
import { sql } from 'kysely'
import { actorId } from '../../../platform/ctx/actor.ts'
import type { Ctx } from '../../../platform/ctx/ctx.ts'
import { seenBy } from '../../visible-conversations.ts'

/** In characters. Longer than what is shown, so that no number is cut before it is recognized. */
const QUESTION_MAX = 2_000
const REPLY_MAX = 8_000

/** As in the index ai_turns_unanswered. */
const IS_UNANSWERED = sql`t.outcome = 'handed_over' and t.question <> ''
  and t.decision ->> 'reason' in ('no_knowledge', 'failed_twice', 'low_confidence')`

export type Unanswered = { turnId: string; question: string; at: string }

/** The latest, newest first. */
export const listUnanswered = async ({ db, workspaceId, actor }: Ctx, max: number): Promise<Unanswered[]> => {
  const { rows } = await sql<Unanswered>`
    select t.id as "turnId", left(t.question, ${QUESTION_MAX}::integer) as question, t.created_at as at
    from ai_turns t
    join conversations c on c.workspace_id = t.workspace_id and c.id = t.conversation_id
    where t.workspace_id = ${workspaceId} and ${IS_UNANSWERED} and t.kind = 'reply'
      and not exists (select from ai_gap_closings g where g.workspace_id = ${workspaceId} and g.turn_id = t.id)
      ${seenBy(actor, 'c')}
    order by t.id desc limit ${max}::integer`.execute(db)
  return rows
}

/** What a person wrote next in the conversations of turns; none where nobody did. */
export const listReplies = async (
  { db, workspaceId }: Ctx,
  turnIds: readonly string[],
): Promise<Map<string, string>> => {
  const { rows } = await sql<{ turnId: string; body: string }>`
    select t.id as "turnId", left(m.body, ${REPLY_MAX}::integer) as body
    from unnest(${turnIds}::text[]) q (id)
    join ai_turns t on t.workspace_id = ${workspaceId} and t.id = q.id
    cross join lateral (
      select body from messages m
      where m.workspace_id = ${workspaceId} and m.conversation_id = t.conversation_id and m.id > t.id
        and m.sender_type = 'agent' and m.created_at >= t.ended_at and m.body <> ''
        and not (coalesce(m.metadata, '{}') ? 'deletedAt') and not (coalesce(m.metadata, '{}') ? 'ai')
      order by m.id limit 1
    ) m`.execute(db)
  return new Map(rows.map(({ turnId, body }) => [turnId, body]))
}

export type AnsweredRow = {
  body: string
  at: string
  contactName: string | null
  question: string | null
  askedAt: string | null
  turnIds: string[]
}

/** Turns of a conversation that one reply answers. */
const TURNS_MAX = 10

/**
 * A person's reply with what the customer asked last before it, and the open questions that nobody answered in between.
 * Undefined if the actor may not see it, and for what a program or the AI agent wrote.
 */
export const findAnswered = async (
  { db, workspaceId, actor }: Ctx,
  messageId: string,
): Promise<AnsweredRow | undefined> => {
  const { rows } = await sql<AnsweredRow>`
    select left(m.body, ${REPLY_MAX}::integer) as body, m.created_at as at, k.name as "contactName",
      left(q.body, ${QUESTION_MAX}::integer) as question, q.created_at as "askedAt", array(
        select t.id from ai_turns t
        where t.workspace_id = ${workspaceId} and t.conversation_id = c.id and t.id < m.id and t.kind = 'reply'
          and ${IS_UNANSWERED} and t.id > coalesce((
            select max(o.id) from messages o
            where o.workspace_id = ${workspaceId} and o.conversation_id = c.id and o.id < m.id
              and ${isPersons(sql.raw('o'))}), '')
          and not exists (select from ai_gap_closings g where g.workspace_id = ${workspaceId} and g.turn_id = t.id)
        order by t.id desc limit ${TURNS_MAX}::integer)::text[] as "turnIds"
    from messages m
    join conversations c on c.workspace_id = m.workspace_id and c.id = m.conversation_id
    join contacts k on k.workspace_id = c.workspace_id and k.id = c.contact_id
    left join lateral (
      select q.body, q.created_at from messages q
      where q.workspace_id = ${workspaceId} and q.conversation_id = c.id and q.id < m.id
        and q.sender_type = 'customer' and q.body <> '' and not (coalesce(q.metadata, '{}') ? 'deletedAt')
      order by q.id desc limit 1
    ) q on true
    where m.workspace_id = ${workspaceId} and m.id = ${messageId} and m.body <> ''
      and ${isPersons(sql.raw('m'))}${seenBy(actor, 'c')}`.execute(db)
  return rows[0]
}

const isPersons = (m: ReturnType<typeof sql.raw>) => sql`${m}.sender_type = 'agent'
  and ${m}.sender_id not like 'api:%' and not (coalesce(${m}.metadata, '{}') ?| array['deletedAt', 'ai'])`

/** Of those that the actor may see and that are open. Returns how many. */
export const insertClosings = async (
  { db, workspaceId, actor, now }: Ctx,
  { turnIds, answerId }: { turnIds: readonly string[]; answerId: string | null },
): Promise<number> => {
  const { numAffectedRows } = await sql`
    insert into ai_gap_closings (workspace_id, turn_id, answer_id, closed_by, closed_at)
    select ${workspaceId}, t.id, ${answerId}, ${actorId(actor)}, ${now()}
    from ai_turns t
    join conversations c on c.workspace_id = t.workspace_id and c.id = t.conversation_id
    where t.workspace_id = ${workspaceId} and t.id = any(${turnIds}::text[]) and ${IS_UNANSWERED}
      ${seenBy(actor, 'c')}
    on conflict do nothing`.execute(db)
  return Number(numAffectedRows ?? 0n)
}
