// A few of the conversations that are assumed to have helped, for people to check: what they find says how far the
// assumption can be trusted.
import { sql } from 'kysely'
import { actorId } from '../../platform/ctx/actor.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError } from '../../platform/errors.ts'
import { conversationExists } from '../conversations/thread-queries.ts'
import { seenBy } from '../visible-conversations.ts'
import type { AiSample, Sampled } from './sample-schema.ts'

const SHARE = 0.02
/** Of each week. */
const SAMPLED_MIN = 5
const SAMPLED_MAX = 20
/** Full ones, until now. */
const WEEKS = 4
const WEEK_MS = 7 * 24 * 3_600_000
/** In characters, of a question and of an answer. */
const SHOWN_MAX = 2_000

/** 00:00 UTC on the Monday of this week. The epoch was a Thursday. */
const thisWeek = (now: Date): Date => {
  const sinceMondayMs = (now.getTime() - 4 * (WEEK_MS / 7)) % WEEK_MS
  return new Date(now.getTime() - sinceMondayMs)
}

/**
 * The sampled episodes `s`, of the whole workspace. Which ones is decided by a hash, so that they stay the same whoever
 * looks, and nobody chooses them; those checked already keep their places, whatever became of them since.
 */
const sampled = ({ workspaceId, now }: Ctx) => {
  const to = thisWeek(now())
  const from = new Date(to.getTime() - WEEKS * WEEK_MS)
  return sql`(
    select conversation_id, first_id, ended_at, is_right from (
      select *, row_number() over (partition by week order by is_right is null, md5(first_id)) as place,
        count(*) over (partition by week) as count
      from (
        select o.conversation_id, o.first_id, o.ended_at, j.is_right,
          floor(extract(epoch from ${to}::timestamptz - o.ended_at) / ${WEEK_MS / 1000}) as week
        from ai_outcomes o
        left join ai_judgements j on j.workspace_id = o.workspace_id and j.conversation_id = o.conversation_id
          and j.first_id = o.first_id
        where o.workspace_id = ${workspaceId} and o.ended_at >= ${from} and o.ended_at < ${to}
          and (o.is_assumed or j.is_right is not null)
      ) o
    ) o
    where place <= least(greatest(ceil(count * ${SHARE}::float8), ${SAMPLED_MIN}), ${SAMPLED_MAX})
  )`
}

/** Those of conversations that the actor may see. */
export const getSample = async (ctx: Ctx): Promise<AiSample> => {
  const { db, workspaceId, actor } = ctx
  const { rows } = await sql<Sampled>`
    select s.first_id as id, s.conversation_id as "conversationId", k.name as "contactName",
      s.ended_at as "endedAt", left(t.question, ${SHOWN_MAX}::integer) as question,
      left(t.answer, ${SHOWN_MAX}::integer) as answer, s.is_right as "isRight"
    from ${sampled(ctx)} s
    join conversations c on c.workspace_id = ${workspaceId} and c.id = s.conversation_id
    join contacts k on k.workspace_id = c.workspace_id and k.id = c.contact_id
    left join lateral (
      select t.question, m.body as answer from ai_turns t
      left join messages m on m.workspace_id = ${workspaceId} and m.id = t.message_id
        and coalesce(m.metadata ->> 'deletedAt', '') = ''
      where t.workspace_id = ${workspaceId} and t.conversation_id = c.id and t.kind = 'reply'
        and t.outcome = 'answered' and t.id >= s.first_id and t.ended_at <= s.ended_at
      order by t.id desc limit 1
    ) t on true
    where true${seenBy(actor, 'c')}
    order by s.is_right is not null, s.ended_at desc, s.first_id desc`.execute(db)
  return { episodes: rows }
}

/**
 * A person says whether the answers of a sampled episode were right; saying it again changes it. Throws
 * CONVERSATION_NOT_FOUND, also for an episode that isn't in the sample: people would choose those that stand out.
 */
export const judge = (
  ctx: Ctx,
  { conversationId, episodeId, isRight }: { conversationId: string; episodeId: string; isRight: boolean },
): Promise<AiSample> =>
  inTransaction(ctx, async (ctx) => {
    const { db, workspaceId, actor, now } = ctx
    if (!(await conversationExists(ctx, conversationId))) throw new ApiError('CONVERSATION_NOT_FOUND')
    const { numAffectedRows } = await sql`
      insert into ai_judgements (workspace_id, conversation_id, first_id, is_right, judged_by, judged_at)
      select ${workspaceId}, s.conversation_id, s.first_id, ${isRight}, ${actorId(actor)}, ${now()}
      from ${sampled(ctx)} s
      where s.conversation_id = ${conversationId} and s.first_id = ${episodeId}
      on conflict (workspace_id, conversation_id, first_id) do update set
        is_right = excluded.is_right, judged_by = excluded.judged_by, judged_at = excluded.judged_at`.execute(
      db,
    )
    if (numAffectedRows === 0n) throw new ApiError('CONVERSATION_NOT_FOUND')
    return getSample(ctx)
  })
