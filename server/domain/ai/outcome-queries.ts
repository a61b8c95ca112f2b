// SQL of what became of the episodes in which the AI agent took part. One statement computes them, from the thread and
// the turns: whoever changes either repeats it, so a row can't drift from what happened.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'

/** An episode in which nobody has written for so long is over. */
export const SILENT_HOURS = 72
/** A customer who is back within so long didn't get what they needed. */
export const REOPENED_DAYS = 7

const SILENCE = sql.raw(`interval '${SILENT_HOURS} hours'`)

/**
 * Stores the outcomes of conversations, from the latest one that is stored on. An episode begins when the conversation
 * is opened, reopened or assigned to the AI agent, or when somebody writes after a silence; those in which it did nothing
 * have no row. The caller holds the conversations' locks.
 */
export const saveOutcomes = async (
  { db, workspaceId, now }: Ctx,
  conversationIds: readonly string[],
): Promise<void> => {
  if (conversationIds.length === 0) return
  await sql`
    with asked as (
      select q.id, k.first_id, k.started_by, k.started_at
      from unnest(${conversationIds}::text[]) q (id)
      left join lateral (
        select first_id, started_by, started_at from ai_outcomes
        where workspace_id = ${workspaceId} and conversation_id = q.id
        order by first_id desc limit 1
      ) k on true
    ), entries as (${entriesOf(workspaceId)}),
    numbered as (
      select *, sum((starts is not null)::integer) over (partition by conversation_id order by id) as episode
      from entries
    ), marked as (
      select *, coalesce(bool_or(event = 'closed') over (partition by conversation_id, episode
        order by id rows between unbounded preceding and 1 preceding), false) as is_after
      from numbered
    ), episodes as (${EPISODES}),
    facts as (${factsOf({ workspaceId, now: now() })})
    insert into ai_outcomes as o (workspace_id, conversation_id, first_id, started_by, started_at, ended_at, quiet_at,
      turns, answered, asked, handed_over_at, hand_over_reason, confirmed_by, is_assumed, reopened_at, wrong,
      input_tokens, cached_tokens, output_tokens, cost, first_reply_ms, hand_over_ms)
    select ${workspaceId}, conversation_id, first_id, started_by, started_at, ended_at, quiet_at,
      turns, answered, asked, handed_over_at, reason,
      case when is_standing and is_confirmed then helped end,
      is_standing and is_answered and not is_confirmed and ended_at is not null and not has_others and not is_open,
      reopened_at, wrong, input_tokens, cached_tokens, output_tokens, cost,
      floor(extract(epoch from replied_at - started_at) * 1000),
      floor(extract(epoch from handed_over_at - started_at) * 1000)
    from (
      select *, reopened_at is null and wrong = 0 as is_standing,
        is_answered and coalesce(last_silent > last_answer, false) as is_confirmed,
        coalesce(last_customer > answer_id, false) as is_open
      from facts
    ) f
    where turns > 0 or handed_over_at is not null or is_known
    order by conversation_id, first_id
    on conflict (workspace_id, conversation_id, first_id) do update set
      ended_at = excluded.ended_at, quiet_at = excluded.quiet_at, turns = excluded.turns,
      answered = excluded.answered, asked = excluded.asked, handed_over_at = excluded.handed_over_at,
      hand_over_reason = excluded.hand_over_reason, confirmed_by = excluded.confirmed_by,
      is_assumed = excluded.is_assumed, reopened_at = excluded.reopened_at, wrong = excluded.wrong,
      input_tokens = excluded.input_tokens, cached_tokens = excluded.cached_tokens,
      output_tokens = excluded.output_tokens, cost = excluded.cost, first_reply_ms = excluded.first_reply_ms,
      hand_over_ms = excluded.hand_over_ms`.execute(db)
}

/** The thread, each entry with what begins there; `last_at`: when somebody wrote before it, or it began. */
const entriesOf = (workspaceId: string) => sql`
  select e.*, case
      when e.is_first then coalesce(e.known_by, e.began, 'opened')
      when e.began is not null then e.began
      when e.is_spoken and e.created_at >= e.last_at + ${SILENCE} then 'silence' end as starts
  from (
    select m.*, row_number() over w = 1 as is_first,
      max(m.created_at) filter (where m.is_spoken or m.began is not null)
        over (w rows between unbounded preceding and 1 preceding) as last_at
    from (
      select a.id as conversation_id, a.first_id as known_id, a.started_by as known_by, a.started_at as known_at,
        m.id, m.created_at, m.sender_type, m.sender_type <> 'system' as is_spoken, m.metadata ->> 'event' as event,
        m.metadata -> 'ai' as ai,
        case when m.sender_type <> 'system' then null
          when m.metadata ->> 'event' = 'reopened' then 'reopened'
          when m.metadata ->> 'event' = 'assigned' and exists (
            select from accounts t where t.id = m.metadata ->> 'agentId' and t.is_ai) then 'assigned' end as began
      from asked a
      join messages m on m.workspace_id = ${workspaceId} and m.conversation_id = a.id and m.id >= coalesce(a.first_id, '')
    ) m
    window w as (partition by m.conversation_id order by m.id)
  ) e`

/** What follows the closing belongs to no episode until the next one begins. */
const EPISODES = sql`
  select e.*, lead(first_id) over w as next_id, lead(began_at) over w as next_at, lead(started_by) over w as next_by
  from (
    select conversation_id, episode, bool_or(known_id is not null and is_first) as is_known,
      case when bool_or(is_first) then coalesce(max(known_id), min(id)) else min(id) end as first_id,
      (array_agg(starts order by id))[1] as started_by, min(created_at) as began_at,
      case when bool_or(is_first) then coalesce(max(known_at), min(created_at)) else min(created_at) end as started_at,
      min(created_at) filter (where event = 'closed') as closed_at,
      coalesce(max(created_at) filter (where is_spoken and not is_after), min(created_at)) as spoken_at,
      bool_or(ai is null and sender_type in ('agent', 'automation') and not is_after) as has_others,
      max(id) filter (where sender_type = 'customer' and not is_after) as last_customer,
      min(created_at) filter (where sender_type <> 'system' and ai ->> 'turnId' is not null
        and ai ->> 'handedOver' is null) as replied_at,
      min(created_at) filter (where sender_type = 'system' and ai ->> 'handedOver' is not null) as line_at,
      (array_agg(ai ->> 'handedOver' order by id)
        filter (where sender_type = 'system' and ai ->> 'handedOver' is not null))[1] as line_reason
    from marked
    group by conversation_id, episode
  ) e
  window w as (partition by conversation_id order by first_id)`

/**
 * With the turns of each. What the customer said last counts: a question after "That helped" takes it back. A step of a
 * flow that gave up has no line of its own.
 */
const factsOf = ({ workspaceId, now }: { workspaceId: string; now: Date }) => sql`
  select e.conversation_id, e.first_id, e.started_by, e.started_at, e.is_known, e.has_others, e.last_customer,
    e.replied_at, d.ended_at, e.spoken_at + ${SILENCE} as quiet_at,
    case when e.next_by in ('reopened', 'silence')
      and e.next_at <= d.ended_at + make_interval(days => ${REOPENED_DAYS}) then e.next_at end as reopened_at,
    least(e.line_at, t.gave_up_at) as handed_over_at,
    case when e.line_at is not null or t.gave_up_at is not null
      then coalesce(e.line_reason, t.gave_up_reason, 'flow') end as reason,
    t.turns, t.answered, t.asked, t.wrong, t.input_tokens, t.cached_tokens, t.output_tokens, t.cost, t.helped,
    t.last_answer, t.last_silent, t.answer_id,
    e.line_at is null and t.last_answer is not null and t.last_answer > coalesce(t.last_other, '') as is_answered
  from episodes e
  cross join lateral (
    select case when e.closed_at is not null then e.closed_at
      when e.spoken_at + ${SILENCE} <= least(e.next_at, ${now}) then e.spoken_at + ${SILENCE}
      else e.next_at end as ended_at
  ) d
  cross join lateral (
    select count(*) as turns,
      count(*) filter (where t.outcome = 'answered') as answered,
      count(*) filter (where t.outcome in ('offered', 'asked')) as asked,
      count(*) filter (where t.wrong_at is not null) as wrong,
      coalesce(sum(t.input_tokens), 0) as input_tokens, coalesce(sum(t.cached_tokens), 0) as cached_tokens,
      coalesce(sum(t.output_tokens), 0) as output_tokens, coalesce(sum(t.cost), 0) as cost,
      max(t.id) filter (where t.outcome = 'answered') as last_answer,
      max(t.message_id) filter (where t.outcome = 'answered') as answer_id,
      max(t.id) filter (where t.outcome in ('offered', 'asked', 'handed_over')) as last_other,
      max(t.id) filter (where t.outcome = 'silent') as last_silent,
      coalesce((array_agg(t.decision ->> 'by' order by t.id desc) filter (where t.outcome = 'silent'))[1], 'thanks')
        as helped,
      min(t.ended_at) filter (where t.outcome = 'handed_over') as gave_up_at,
      (array_agg(t.decision ->> 'reason' order by t.id) filter (where t.outcome = 'handed_over'))[1] as gave_up_reason
    from ai_turns t
    where t.workspace_id = ${workspaceId} and t.conversation_id = e.conversation_id and t.kind = 'reply'
      and t.id >= e.first_id and t.id < coalesce(e.next_id, 'd')
  ) t`

/** Whether a conversation has outcomes, for larger statements. */
export const hasOutcomes = (
  workspaceId: string,
  conversationId: ReturnType<typeof sql.ref>,
) => sql<boolean>`exists (
  select from ai_outcomes o where o.workspace_id = ${workspaceId} and o.conversation_id = ${conversationId})`
