// Ratings of conversations, which customers give when a flow asks. What a flow stores in the contact's field
// `satisfaction` rates the conversation that it runs in, if it is a whole number from 1 to 5; what the same run stores in
// `satisfactionReason` is the comment.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'

export const RATING_FIELD = 'fields.satisfaction'
export const COMMENT_FIELD = 'fields.satisfactionReason'
const RATING = /^[1-5]$/
const COMMENT_MAX = 2_000

type Answer = { runId: string; conversationId: string; field: string; value: string | null }

/** A run has one rating: the last. Other fields and other values are none. In the caller's transaction. */
export const recordRating = async (
  ctx: Ctx,
  { runId, conversationId, field, value }: Answer,
): Promise<void> => {
  if (value === null) return
  if (field === RATING_FIELD && RATING.test(value.trim()))
    await upsertRating(ctx, { runId, conversationId, rating: Number(value) })
  if (field === COMMENT_FIELD) await updateComment(ctx, { runId, comment: value.slice(0, COMMENT_MAX) })
}

/** It is of whoever replied last, or has the conversation if no person of the team did. */
const upsertRating = async (
  { db, workspaceId, now }: Ctx,
  { runId, conversationId, rating }: { runId: string; conversationId: string; rating: number },
): Promise<void> => {
  await sql`
    insert into ratings (workspace_id, run_id, conversation_id, agent_id, rating, created_at)
    select c.workspace_id, ${runId}, c.id, coalesce((
        select m.sender_id from messages m
        join memberships p on p.workspace_id = m.workspace_id and p.account_id = m.sender_id and p.role <> 'ai'
        where m.workspace_id = c.workspace_id and m.conversation_id = c.id and m.sender_type = 'agent'
        order by m.id desc limit 1), c.agent_id), ${rating}::smallint, ${now()}
    from conversations c where c.workspace_id = ${workspaceId} and c.id = ${conversationId}
    on conflict (workspace_id, run_id) do update set rating = excluded.rating`.execute(db)
}

const updateComment = async (
  { db, workspaceId }: Ctx,
  { runId, comment }: { runId: string; comment: string },
): Promise<void> => {
  await sql`update ratings set comment = ${comment}
    where workspace_id = ${workspaceId} and run_id = ${runId}`.execute(db)
}
