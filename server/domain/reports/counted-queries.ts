// What reports count, as SQL over the rows that it follows from. Roll-ups store what these say of a day, and the lists
// behind the figures read the same, so they can't differ.
//
// Everything counts on the day on which it happened: a reply on the day it was sent, a closing on the day of the closing.
// So what happens later does not change a day that is over, apart from what note_late_message() notes.
import { type RawBuilder, sql } from 'kysely'
import type { DayRange } from './days.ts'

/** Where rows come from: the days of a roll-up, or one range whose rows are read one by one. */
export type Span = {
  workspaceId: string
  timeZone: string
  /** The column or null for what is not counted by day. */
  day: RawBuilder<unknown>
  /** `from` a table under an alias, with only the rows of the span, by their ids. */
  rows: (table: 'messages' | 'conversations', alias: string) => RawBuilder<unknown>
  /** The same for ratings by when they were given, and for waits by when they ended. */
  timed: (table: keyof typeof TIMED, alias: string) => RawBuilder<unknown>
}

const TIMED = { ratings: sql.ref('t.created_at'), waits: sql.ref('t.ended_at') }

export const spanOfDays = (workspaceId: string, timeZone: string, ranges: readonly DayRange[]): Span => {
  const days = sql`unnest(${ranges.map(({ day }) => day)}::date[], ${ranges.map(({ fromId }) => fromId)}::text[],
    ${ranges.map(({ toId }) => toId)}::text[], ${ranges.map(({ from }) => from.toISOString())}::timestamptz[],
    ${ranges.map(({ to }) => to.toISOString())}::timestamptz[]) as d (day, from_id, to_id, from_at, to_at)`
  return {
    workspaceId,
    timeZone,
    day: sql`d.day`,
    // `offset 0`: each day is read by its range of ids, whatever the planner would make of all of them.
    rows: (table, alias) => sql`${days} cross join lateral (select * from ${sql.table(table)} t
      where t.workspace_id = ${workspaceId} and t.id >= d.from_id and t.id < d.to_id offset 0) ${sql.ref(alias)}`,
    timed: (table, alias) => sql`${days} cross join lateral (select * from ${sql.table(table)} t
      where t.workspace_id = ${workspaceId} and ${TIMED[table]} >= d.from_at and ${TIMED[table]} < d.to_at offset 0)
      ${sql.ref(alias)}`,
  }
}

/** All rows from the first to the last moment. */
export const spanOfRange = (
  workspaceId: string,
  timeZone: string,
  { from, to, fromId, toId }: Omit<DayRange, 'day'>,
): Span => ({
  workspaceId,
  timeZone,
  day: sql`null::date`,
  rows: (table, alias) => sql`(select * from ${sql.table(table)} t where t.workspace_id = ${workspaceId}
    and t.id >= ${fromId} and t.id < ${toId}) ${sql.ref(alias)}`,
  timed: (table, alias) => sql`(select * from ${sql.table(table)} t where t.workspace_id = ${workspaceId}
    and ${TIMED[table]} >= ${from} and ${TIMED[table]} < ${to}) ${sql.ref(alias)}`,
})

const aiOf = (workspaceId: string) =>
  sql`array(select account_id::text from memberships where workspace_id = ${workspaceId} and role = 'ai')`

/** A test of a broadcast counts for nothing. */
const isNoTest = (m: string) => sql`${sql.ref(`${m}.metadata`)} -> 'isBroadcastTest' is null`

/** Sent by a person, or by a program for one. Neither a broadcast nor an email forwarded to somebody else is a reply. */
export const isReply = (m: string, workspaceId: string) => sql`(
  ${sql.ref(`${m}.sender_type`)} in ('agent', 'automation') and ${sql.ref(`${m}.status`)} <> 'failed'
  and (${sql.ref(`${m}.sender_type`)} = 'agent' or ${sql.ref(`${m}.sender_id`)} like 'api:%')
  and ${sql.ref(`${m}.metadata`)} ->> 'broadcastId' is null and ${isNoTest(m)} and ${sql.ref(`${m}.metadata`)} ->> 'forwardOf' is null
  and ${sql.ref(`${m}.sender_id`)} <> all (${aiOf(workspaceId)}))`

/** Anything sent in reply, by people, flows or the AI agent. */
export const isAnyReply = (m: string) => sql`(
  ${sql.ref(`${m}.sender_type`)} in ('agent', 'automation') and ${sql.ref(`${m}.status`)} <> 'failed'
  and ${sql.ref(`${m}.metadata`)} ->> 'broadcastId' is null and ${isNoTest(m)} and ${sql.ref(`${m}.metadata`)} ->> 'forwardOf' is null)`

export const isLine = (m: string, event: string) => sql`(${sql.ref(`${m}.sender_type`)} = 'system'
  and ${sql.ref(`${m}.metadata`)} ->> 'event' = ${sql.lit(event)})`

/** Members; anyone else is ''. */
const memberJoin = (workspaceId: string, id: RawBuilder<unknown>) => sql`
  left join memberships p on p.workspace_id = ${workspaceId} and p.account_id = ${id} and p.role <> 'ai'`

/** Messages by who wrote them, closings and reopenings; null for what isn't counted. */
const kindOf = (workspaceId: string) => sql`case
  when m.sender_type = 'customer' then 'inbound'
  when m.sender_type = 'system' then
    case m.metadata ->> 'event' when 'closed' then 'closed' when 'reopened' then 'reopened' end
  when m.status = 'failed' or not ${isNoTest('m')} then null
  when m.metadata ->> 'broadcastId' is not null then 'broadcast'
  when m.sender_id = any (${aiOf(workspaceId)}) then 'ai'
  when m.sender_id like 'api:%' then 'program'
  when m.sender_type = 'agent' then 'person'
  else 'flow' end`

/**
 * One row for each hour, channel and kind: messages, closings and reopenings, and conversations by when they were
 * created. `settled`: conversations that were closed when they were imported, which were never open here.
 */
export const hoursOf = ({ workspaceId, timeZone, day, rows }: Span): RawBuilder<unknown> => {
  const hour = (column: string) =>
    sql`extract(hour from ${sql.ref(column)} at time zone ${timeZone})::smallint`
  return sql`
    select day, hour, channel, kind, count(*)::integer as count from (
      select ${day} as day, ${hour('m.created_at')} as hour, a.channel, ${kindOf(workspaceId)} as kind
      from ${rows('messages', 'm')}
      join channel_accounts a on a.workspace_id = m.workspace_id and a.id = m.channel_account_id
      union all
      select ${day}, ${hour('c.created_at')}, c.channel, k.kind
      from ${rows('conversations', 'c')}
      cross join lateral (select 'conversation' as kind union all select 'settled'
        where c.status = 'closed' and not exists (select from messages l
          where l.workspace_id = c.workspace_id and l.conversation_id = c.id and ${isLine('l', 'closed')})) k
    ) e
    where kind is not null
    group by 1, 2, 3, 4`
}

/** The rows that one kind of hoursOf counts. */
export const eventsOf = ({ workspaceId, rows }: Span, kind: string): RawBuilder<unknown> =>
  kind === 'conversations'
    ? sql`select c.id, c.id as conversation_id, coalesce(c.agent_id, '') as person, c.created_at as at
        from ${rows('conversations', 'c')}`
    : sql`select m.id, m.conversation_id, m.sender_id as person, m.created_at as at from ${rows('messages', 'm')}
        where ${kindOf(workspaceId)} = ${kind}`

/**
 * Conversations that were open when the span ended: the next line after it closed them, or there is none and they are
 * open now. Those are few, and lines are read from there on only. `toId`: the end, also for later pages.
 */
export const openOf = ({ workspaceId, rows }: Span, toId: string): RawBuilder<unknown> => sql`
  select c.id, c.id as conversation_id, coalesce(c.agent_id, '') as person, c.created_at as at
  from (
    select id from conversations where workspace_id = ${workspaceId} and status = 'open'
    union
    select m.conversation_id from messages m
    where m.workspace_id = ${workspaceId} and m.id >= ${toId} and ${isLine('m', 'closed')}
  ) o
  join ${rows('conversations', 'c')} on c.id = o.id
  where coalesce((
    select l.metadata ->> 'event' = 'closed' from messages l
    where l.workspace_id = ${workspaceId} and l.conversation_id = c.id and l.id >= ${toId}
      and (${isLine('l', 'closed')} or ${isLine('l', 'reopened')})
    order by l.id limit 1), c.status = 'open')`

const OUTCOMES = {
  sent: sql`r.outcome = 'sent'`,
  delivered: sql`m.status in ('delivered', 'read')`,
  read: sql`m.status = 'read'`,
  answered: sql`c.last_inbound_at > m.created_at`,
}

/** A broadcast's messages, as its page and rollUpBroadcast count them. */
export const broadcastOf = (
  { workspaceId }: Span,
  { figure, broadcastId }: { figure: keyof typeof OUTCOMES; broadcastId: string },
): RawBuilder<unknown> => sql`
  select m.id, m.conversation_id, m.sender_id as person, m.created_at as at
  from broadcast_recipients r
  join messages m on m.workspace_id = r.workspace_id and m.id = r.message_id
  join conversations c on c.workspace_id = m.workspace_id and c.id = m.conversation_id
  where r.workspace_id = ${workspaceId} and r.broadcast_id = ${broadcastId} and r.outcome in ('sent', 'unconfirmed')
    and ${OUTCOMES[figure]}`

/**
 * Replies with how long the customer had waited. A wait begins with the first message that the customer wrote after the
 * previous reply, or when the AI agent handed over, if that was later. Closing ends it. `isFirst`: the first reply since
 * the conversation was opened or reopened. Notes are no messages, and order is by time, so imported messages
 * fall into place. `by`: replies of people, or of flows and the AI agent, which are measured apart.
 */
const repliesOf = ({ workspaceId, day, rows }: Span, by: 'people' | 'automation') => {
  const isOurs = by === 'people' ? isReply('m', workspaceId) : isAnyReply('m')
  const others =
    by === 'people' ? sql`true` : sql`not ${isReply('m', workspaceId)} and m.sender_type <> 'customer'`
  return sql`
    select ${day} as day, m.id, m.conversation_id, m.channel_account_id as account_id, coalesce(p.account_id, '') as person,
      coalesce(c.team_id, '') as team, m.created_at as at, greatest(w.asked_at, w.handed_over_at) as since,
      b.is_reply is not true as is_first
    from ${rows('messages', 'm')}
    left join lateral (
      select r.id, r.sender_type <> 'system' as is_reply from messages r
      where r.workspace_id = m.workspace_id and r.conversation_id = m.conversation_id and r.id < m.id
        and (${by === 'people' ? isReply('r', workspaceId) : isAnyReply('r')} or ${isLine('r', 'closed')})
      order by r.id desc limit 1
    ) b on true
    cross join lateral (
      select min(q.created_at) filter (where q.sender_type = 'customer') as asked_at,
        max(q.created_at) filter (where q.sender_type = 'system' and q.metadata #>> '{ai,handedOver}' is not null)
          as handed_over_at
      from messages q
      where q.workspace_id = m.workspace_id and q.conversation_id = m.conversation_id and q.id < m.id
        and q.id > coalesce(b.id, '')
    ) w
    join conversations c on c.workspace_id = m.workspace_id and c.id = m.conversation_id
    ${memberJoin(workspaceId, sql`m.sender_id`)}
    where m.workspace_id = ${workspaceId} and m.sender_type in ('agent', 'automation') and ${isOurs} and ${others}
      and w.asked_at is not null`
}

/** Closings by people, programs and flows, since the conversation was opened or last reopened. */
const closingsOf = ({ workspaceId, day, rows }: Span) => sql`
  select ${day} as day, m.id, m.conversation_id, m.channel_account_id as account_id, coalesce(p.account_id, '') as person,
    coalesce(c.team_id, '') as team, m.created_at as at, coalesce(b.created_at, c.created_at) as since
  from ${rows('messages', 'm')}
  join conversations c on c.workspace_id = m.workspace_id and c.id = m.conversation_id
  left join lateral (
    select r.created_at from messages r
    where r.workspace_id = m.workspace_id and r.conversation_id = m.conversation_id and r.id < m.id
      and ${isLine('r', 'reopened')}
    order by r.id desc limit 1
  ) b on true
  ${memberJoin(workspaceId, sql`m.metadata ->> 'by'`)}
  where m.workspace_id = ${workspaceId} and ${isLine('m', 'closed')}
    and m.metadata ->> 'by' is distinct from 'system'
    and m.metadata ->> 'replacedBy' is null`

const ratingsOf = ({ workspaceId, day, timed }: Span) => sql`
  select ${day} as day, r.run_id as id, r.conversation_id, c.channel_account_id as account_id,
    coalesce(r.agent_id, '') as person, coalesce(c.team_id, '') as team, r.created_at as at, r.rating, r.comment
  from ${timed('ratings', 'r')}
  join conversations c on c.workspace_id = r.workspace_id and c.id = r.conversation_id
  where r.workspace_id = ${workspaceId}`

/**
 * Waits with a target, on the day on which they ended: with a reply, or late without one. What was closed in time without a
 * reply is neither met nor missed. What was late stays late (overdue_at), and snoozed, time stands still (paused_at).
 */
const goalsOf = ({ workspaceId, day, timed }: Span) => sql`
  select * from (
    select ${day} as day, w.id, w.conversation_id, c.channel_account_id as account_id, coalesce(p.account_id, '') as person,
      coalesce(w.team_id, '') as team, w.ended_at as at, w.started_at as since, w.kind, w.counted_seconds,
      w.answered_at is not null as is_answered,
      w.overdue_at is not null or least(w.ended_at, w.paused_at) > w.due_at as is_missed
    from ${timed('waits', 'w')}
    join conversations c on c.workspace_id = w.workspace_id and c.id = w.conversation_id
    ${memberJoin(workspaceId, sql`w.answered_by`)}
    where w.workspace_id = ${workspaceId}
  ) g
  where is_answered or is_missed`

/** Times in steps of a tenth: a bucket holds what takes from 1.1^n to 1.1^(n+1) seconds. */
export const BUCKET_STEP = 1.1

const bucketOf = (seconds: RawBuilder<unknown>) =>
  sql`floor(ln(greatest(${seconds}, 1)::float8) / ln(${sql.lit(BUCKET_STEP)}::float8))::smallint`

export const ENTRIES = {
  first: (span: Span) => sql`select * from (${repliesOf(span, 'people')}) e where is_first`,
  next: (span: Span) => sql`select * from (${repliesOf(span, 'people')}) e where not is_first`,
  automatic: (span: Span) => repliesOf(span, 'automation'),
  resolution: closingsOf,
  rating: ratingsOf,
  met: (span: Span) => sql`select * from (${goalsOf(span)}) e where not is_missed`,
  missed: (span: Span) => sql`select * from (${goalsOf(span)}) e where is_missed`,
} as const

/**
 * One row for each channel, person, team, kind and bucket: replies (`first`, `next`, and `automatic` of flows and the AI
 * agent), closings (`resolution`), messages that a person sent, and ratings, whose bucket is the rating. Of waits with a
 * target, `first_met`, `first_missed`, `next_met` and `next_missed`, and by the time that counted `first_open` and
 * `next_open` of those that were answered.
 */
export const timesOf = (span: Span): RawBuilder<unknown> => {
  const { workspaceId, day, rows } = span
  const took = bucketOf(sql`extract(epoch from e.at - e.since)`)
  return sql`
    select e.day, a.channel, e.person, e.team, e.kind, e.bucket, count(*)::integer as count from (
      select day, account_id, person, team, case when is_first then 'first' else 'next' end as kind, ${took} as bucket
        from (${repliesOf(span, 'people')}) e
      union all
      select day, account_id, '', team, 'automatic', ${took} from (${repliesOf(span, 'automation')}) e
      union all
      select day, account_id, person, team, 'resolution', ${took} from (${closingsOf(span)}) e
      union all
      select day, account_id, person, team, 'rating', rating from (${ratingsOf(span)}) e
      union all
      select day, account_id, person, team, k.kind, k.bucket from (${goalsOf(span)}) e
        cross join lateral (
          select e.kind || case when e.is_missed then '_missed' else '_met' end as kind, 0::smallint as bucket
          union all
          select e.kind || '_open', ${bucketOf(sql`e.counted_seconds`)}
            where e.is_answered and e.counted_seconds is not null
        ) k
      union all
      select ${day}, m.channel_account_id, p.account_id, '', 'message', 0 from ${rows('messages', 'm')}
        join memberships p on p.workspace_id = ${workspaceId} and p.account_id = m.sender_id and p.role <> 'ai'
        where m.sender_type = 'agent' and m.status <> 'failed' and m.metadata ->> 'broadcastId' is null
          and ${isNoTest('m')}
    ) e
    join channel_accounts a on a.workspace_id = ${workspaceId} and a.id = e.account_id
    group by 1, 2, 3, 4, 5, 6`
}
