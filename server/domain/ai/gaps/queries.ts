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
