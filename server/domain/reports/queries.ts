// The SQL of reading reports: what is stored of the days that are over, and the rows themselves of those that aren't.
import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { ChannelName } from '../../platform/db/tables.ts'
import { hoursOf, spanOfDays, timesOf } from './counted-queries.ts'
import type { DayRange } from './days.ts'
import type { ReportBroadcast } from './schema.ts'
import { BROADCASTS_MAX } from './schema.ts'

type Scope = Pick<Ctx, 'db' | 'workspaceId'>

/** `stored`: from and to, both included; `live`: days that are counted now. */
export type Source = {
  stored: { from: string; to: string } | null
  live: readonly DayRange[]
  timeZone: string
  channel?: ChannelName
}

const COLUMNS = {
  report_hours: sql`day, hour, channel, kind, count`,
  report_times: sql`day, channel, person, team, kind, bucket, count`,
}

const sourceOf = (
  workspaceId: string,
  table: keyof typeof COLUMNS,
  { stored, live, timeZone, channel }: Source,
): RawBuilder<unknown> => {
  const span = spanOfDays(workspaceId, timeZone, live)
  const parts = [
    ...(stored
      ? [
          sql`select ${COLUMNS[table]} from ${sql.table(table)} where workspace_id = ${workspaceId}
            and day between ${stored.from}::date and ${stored.to}::date`,
        ]
      : []),
    ...(live.length > 0
      ? [
          sql`select ${COLUMNS[table]} from (${table === 'report_hours' ? hoursOf(span) : timesOf(span)}) live`,
        ]
      : []),
  ]
  if (parts.length === 0) return sql`(select ${COLUMNS[table]} from ${sql.table(table)} where false) s`
  const all = sql.join(parts, sql` union all `)
  return channel === undefined
    ? sql`(${all}) s`
    : sql`(select * from (${all}) a where channel = ${channel}) s`
}

/** A sum of one of four groupings: of the period, a day, a channel, or an hour of the weekday. */
export type HourSum = {
  isBefore: boolean
  day: string | null
  channel: ChannelName | null
  weekday: number | null
  hour: number | null
  kind: string
  count: number
}

/** `from`: where the period begins; what is earlier is the period before. */
export const sumHours = async (
  { db, workspaceId }: Scope,
  { source, from, to }: { source: Source; from: string; to: string },
): Promise<HourSum[]> => {
  const { rows } = await sql<HourSum>`
    select is_before as "isBefore", day::text, channel, weekday, hour, kind, sum(count)::integer as count
    from (
      select *, day < ${from}::date as is_before, extract(isodow from day)::integer as weekday
      from ${sourceOf(workspaceId, 'report_hours', source)} where day <= ${to}::date
    ) s
    group by grouping sets ((is_before, kind), (is_before, day, kind), (is_before, channel, kind),
      (is_before, weekday, hour, kind))`.execute(db)
  return rows
}

/** How many more conversations were opened than closed after a day. */
export const sumChanges = async (
  { db, workspaceId }: Scope,
  { source, after }: { source: Source; after: string },
): Promise<number> => {
  const { rows } = await sql<{ net: number }>`
    select coalesce(sum(case when kind in ('conversation', 'reopened') then count
      when kind in ('closed', 'settled') then -count else 0 end), 0)::integer as net
    from ${sourceOf(workspaceId, 'report_hours', source)} where day > ${after}::date`.execute(db)
  return rows[0]!.net
}

/** Of the period, a day, a person or a team: how many, in which bucket the median and the ninth tenth are. */
export type TimeSum = {
  isBefore: boolean
  day: string | null
  person: string | null
  team: string | null
  kind: string
  count: number
  median: number
  p90: number
  /** Of ratings: their sum, and how many of each. */
  points: number
  stars: Record<string, number> | null
}

/** What `grouping` says of the sums that are of neither a day nor a person nor a team. */
const ALL_PARTS = sql.lit(7)

export const sumTimes = async (
  { db, workspaceId }: Scope,
  { source, from }: { source: Source; from: string },
): Promise<TimeSum[]> => {
  const { rows } = await sql<TimeSum>`
    with sums as (
      select is_before, day, person, team, grouping(day, person, team) as part, kind, bucket, sum(count) as n
      from (
        -- Of the period before, only the whole is asked for.
        select day < ${from}::date as is_before, case when day >= ${from}::date then day end as day,
          case when day >= ${from}::date then person end as person,
          case when day >= ${from}::date then team end as team, kind, bucket, sum(count) as count
        from ${sourceOf(workspaceId, 'report_times', source)}
        group by 1, 2, 3, 4, 5, 6
      ) s
      group by grouping sets ((is_before, kind, bucket), (is_before, day, kind, bucket),
        (is_before, person, kind, bucket), (is_before, team, kind, bucket))
    ), ranked as (
      select *, sum(n) over (w order by bucket) as up_to, sum(n) over w as total
      from sums
      where not is_before or part = ${ALL_PARTS}
      window w as (partition by is_before, part, day, person, team, kind)
    )
    select is_before as "isBefore", day::text, person, team, kind, sum(n)::integer as count,
      min(bucket) filter (where up_to * 2 >= total) as median, min(bucket) filter (where up_to * 10 >= total * 9) as p90,
      sum(n * bucket)::integer as points,
      case when kind = 'rating' then jsonb_object_agg(bucket, n) end as stars
    from ranked
    group by is_before, part, day, person, team, kind`.execute(db)
  return rows
}

export const countOpen = async (
  { db, workspaceId, now }: Scope & Pick<Ctx, 'now'>,
  channel?: ChannelName,
): Promise<{ channel: ChannelName; count: number; overdue: number }[]> => {
  const { rows } = await sql<{ channel: ChannelName; count: number; overdue: number }>`
    select channel, count(*)::integer as count, (count(*) filter (where answer_due_at <= ${now()}))::integer as overdue
    from conversations
    where workspace_id = ${workspaceId} and status = 'open'
      ${channel === undefined ? sql`` : sql`and channel = ${channel}`}
    group by channel`.execute(db)
  return rows
}

export type Named = { id: string; name: string; isRemoved: boolean }

/** People, including those who have left. */
export const listPeople = async ({ db, workspaceId }: Scope): Promise<Named[]> => {
  const { rows } = await sql<Named>`
    select a.id, a.nickname as name, m.removed_at is not null as "isRemoved" from memberships m join accounts a on a.id = m.account_id
    where m.workspace_id = ${workspaceId} and m.role <> 'ai'
    order by a.nickname_key, a.id`.execute(db)
  return rows
}

/** Including those that were removed, whose names conversations keep. */
export const listReportTeams = async ({ db, workspaceId }: Scope): Promise<Named[]> => {
  const { rows } = await sql<Named>`
    select id, name, removed_at is not null as "isRemoved" from teams where workspace_id = ${workspaceId} order by name_key, id`.execute(
    db,
  )
  return rows
}

/** Those created in the period, the newest first. */
export const listReportBroadcasts = async (
  { db, workspaceId }: Scope,
  { fromId, toId }: Pick<DayRange, 'fromId' | 'toId'>,
): Promise<ReportBroadcast[]> => {
  const { rows } = await sql<ReportBroadcast>`
    select b.id, coalesce(b.name, b.template_name) as name, coalesce(b.scheduled_at, b.created_at) as at,
      b.total_count as recipients, b.sent_count as sent, b.failed_count as failed, r.delivered, r.read, r.answered
    from broadcasts b
    left join report_broadcasts r on r.workspace_id = b.workspace_id and r.broadcast_id = b.id
    where b.workspace_id = ${workspaceId} and b.id >= ${fromId} and b.id < ${toId}
    order by b.id desc limit ${BROADCASTS_MAX}::integer`.execute(db)
  return rows
}
