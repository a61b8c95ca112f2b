// The SQL of storing what reports count, day by day.
import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { isAtWork } from '../../platform/db/closed-workspaces.ts'
import { timeOfId } from '../../platform/db/id.ts'
import type { Db } from '../../platform/db/pool.ts'
import { hoursOf, isAnyReply, isLine, isReply, spanOfDays, timesOf } from './counted-queries.ts'
import type { DayRange } from './days.ts'

type Scope = Pick<Ctx, 'db' | 'workspaceId'>

/** The days that are stored: all from the first to the last. `beginsOn`: when the workspace's history begins. */
export type ReportState = {
  timeZone: string
  firstDay: string | null
  lastDay: string | null
  beginsOn: string | null
}

/** What stored days hold. A workspace whose days hold less counts them again, if it has what they lack. */
const EDITION = sql.lit(2)

const isOutdated = sql`s.edition < ${EDITION} and exists (select from waits w where w.workspace_id = s.workspace_id)`

export const findReportState = async ({ db, workspaceId }: Scope): Promise<ReportState | undefined> => {
  const { rows } = await sql<ReportState>`
    select time_zone as "timeZone", case when not o.is_so then first_day::text end as "firstDay",
      case when not o.is_so then last_day::text end as "lastDay", begins_on::text as "beginsOn"
    from report_states s cross join lateral (select ${isOutdated} as is_so) o
    where workspace_id = ${workspaceId}`.execute(db)
  return rows[0]
}

/**
 * Unless the time zone has changed meanwhile: then the days that were stored don't count.
 */
export const saveReportState = async (
  { db, workspaceId, now }: Scope & Pick<Ctx, 'now'>,
  { timeZone, firstDay, lastDay, beginsOn }: ReportState,
): Promise<void> => {
  await sql`
    insert into report_states as s (workspace_id, time_zone, first_day, last_day, begins_on, computed_at, edition)
    values (${workspaceId}, ${timeZone}, ${firstDay}::date, ${lastDay}::date, ${beginsOn}::date, ${now()}, ${EDITION})
    on conflict (workspace_id) do update set first_day = excluded.first_day, last_day = excluded.last_day,
      begins_on = excluded.begins_on, computed_at = excluded.computed_at, edition = excluded.edition
    where s.time_zone = excluded.time_zone`.execute(db)
}

/** The days on the clocks of another zone are all still to be stored. On these, the history may begin a day earlier. */
export const updateTimeZone = async ({ db, workspaceId }: Scope, timeZone: string): Promise<void> => {
  await sql`
    insert into report_states as s (workspace_id, time_zone, edition) values (${workspaceId}, ${timeZone}, ${EDITION})
    on conflict (workspace_id) do update set time_zone = excluded.time_zone, first_day = null, last_day = null,
      begins_on = s.begins_on - 1, edition = excluded.edition`.execute(db)
}

/** When the oldest conversation or message was created. */
export const findBeginning = async ({ db, workspaceId }: Scope): Promise<Date | null> => {
  const { rows } = await sql<{ id: string | null }>`select least(
    (select min(id) from conversations where workspace_id = ${workspaceId}),
    (select min(id) from messages where workspace_id = ${workspaceId})) as id`.execute(db)
  const id = rows[0]?.id
  return id ? timeOfId(id) : null
}

/** `next`: when the next reply and the next closing after the hour were, whose waits may begin elsewhere now. */
export type LateHour = { at: Date; next: Date[]; rows: string[] }

/** Messages after a late one in which the next reply is looked for. */
const LOOKED_AHEAD_MAX = 200

/** The hours that changed after they were over, the oldest first, with their notes. */
export const listLateHours = async ({ db, workspaceId }: Scope, max: number): Promise<LateHour[]> => {
  const { rows } = await sql<{ at: string; next: Date[]; rows: string[] }>`
    with notes as (
      select at, conversation_id, min(message_id) as message_id, array_agg(ctid::text) as rows
      from report_late_hours where workspace_id = ${workspaceId}
      group by at, conversation_id order by at limit ${max}::integer
    )
    select n.at, n.rows, array_remove(array[l.reply_at, l.automatic_at, l.closed_at], null) as next
    from notes n
    cross join lateral (
      select min(created_at) filter (where is_any_reply and is_reply) as reply_at,
        min(created_at) filter (where is_any_reply and not is_reply) as automatic_at,
        min(created_at) filter (where is_closing) as closed_at
      from (
        select m.created_at::timestamptz, ${isReply('m', workspaceId)} as is_reply, ${isAnyReply('m')} as is_any_reply,
          ${isLine('m', 'closed')} as is_closing
        from messages m
        where m.workspace_id = ${workspaceId} and m.conversation_id = n.conversation_id and m.id > n.message_id
          and m.created_at >= n.at + interval '1 hour'
        order by m.id limit ${LOOKED_AHEAD_MAX}::integer
      ) later
    ) l
    order by n.at`.execute(db)
  return rows.map(({ at, ...note }) => ({ at: new Date(at), ...note }))
}

/** Only those that were seen: what was noted in the meantime may not be in what was counted. */
export const deleteLateHours = async (
  { db, workspaceId }: Scope,
  hours: readonly LateHour[],
): Promise<void> => {
  await sql`delete from report_late_hours where workspace_id = ${workspaceId}
    and ctid = any (${hours.flatMap(({ rows }) => rows)}::tid[])`.execute(db)
}

/**
 * Stores days as they follow from their rows, in one statement: counts that are gone are removed, the others replaced.
 * Doing it again changes nothing. See counted-queries.ts for what is counted. It is a transaction of its own, whose
 * counting comes before anything is written, so that it holds up nobody who waits for older transactions.
 */
const storeDays = async (
  { db, workspaceId }: Scope,
  {
    table,
    keys,
    counted,
    days,
  }: {
    table: 'report_hours' | 'report_times'
    keys: readonly string[]
    counted: RawBuilder<unknown>
    days: readonly string[]
  },
): Promise<void> => {
  const columns = sql.join(keys.map((key) => sql.ref(key)))
  const isSame = sql.join(
    keys.map((key) => sql`f.${sql.ref(key)} = t.${sql.ref(key)}`),
    sql` and `,
  )
  await sql`
    with fresh as materialized (${counted}),
    gone as (
      delete from ${sql.table(table)} t where t.workspace_id = ${workspaceId} and t.day = any (${days}::date[])
        and not exists (select from fresh f where ${isSame})
    )
    insert into ${sql.table(table)} as t (workspace_id, ${columns}, count)
    select ${workspaceId}, ${columns}, count from fresh order by ${columns}
    on conflict (workspace_id, ${columns}) do update set count = excluded.count where t.count <> excluded.count`.execute(
    db,
  )
}

export const rollUpDays = async (
  scope: Scope,
  { timeZone, ranges }: { timeZone: string; ranges: readonly DayRange[] },
): Promise<void> => {
  const span = spanOfDays(scope.workspaceId, timeZone, ranges)
  const days = ranges.map(({ day }) => day)
  const hours = ['day', 'hour', 'channel', 'kind']
  await storeDays(scope, { table: 'report_hours', keys: hours, counted: hoursOf(span), days })
  const times = ['day', 'channel', 'person', 'team', 'kind', 'bucket']
  await storeDays(scope, { table: 'report_times', keys: times, counted: timesOf(span), days })
}

/**
 * What became of a broadcast's messages, from its recipients, in one statement; the same count as on the broadcast's
 * page.
 */
export const rollUpBroadcast = async (
  { db, workspaceId, now }: Scope & Pick<Ctx, 'now'>,
  broadcastId: string,
): Promise<void> => {
  await sql`
    insert into report_broadcasts (workspace_id, broadcast_id, delivered, read, answered, computed_at)
    select ${workspaceId}, ${broadcastId}, count(*) filter (where m.status in ('delivered', 'read')),
      count(*) filter (where m.status = 'read'), count(*) filter (where c.last_inbound_at > m.created_at), ${now()}
    from broadcast_recipients r
    join messages m on m.workspace_id = r.workspace_id and m.id = r.message_id
    join conversations c on c.workspace_id = m.workspace_id and c.id = m.conversation_id
    where r.workspace_id = ${workspaceId} and r.broadcast_id = ${broadcastId} and r.outcome in ('sent', 'unconfirmed')
    on conflict (workspace_id, broadcast_id) do update set delivered = excluded.delivered, read = excluded.read,
      answered = excluded.answered, computed_at = excluded.computed_at`.execute(db)
}

/** Workspaces with days to store, or with hours that changed late. Those without history are looked at again later. */
export const listDueWorkspaces = async (
  db: Db,
  { settledAt, emptyBefore, max }: { settledAt: Date; emptyBefore: Date; max: number },
): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    select w.id from workspaces w left join report_states s on s.workspace_id = w.id
    where ${isAtWork('w.id')} and (s.workspace_id is null
      or (s.begins_on is null and s.computed_at < ${emptyBefore})
      or s.last_day < (${settledAt}::timestamptz at time zone s.time_zone)::date - 1
      or s.first_day > s.begins_on
      or (${isOutdated})
      or (s.last_day is null and s.begins_on is not null
        and s.begins_on < (${settledAt}::timestamptz at time zone s.time_zone)::date)
      or exists (select from report_late_hours l where l.workspace_id = w.id))
    order by s.computed_at nulls first, w.id
    limit ${max}::integer`.execute(db)
  return rows.map(({ id }) => id)
}

/** Broadcasts never counted; those of the last days often, and of the last weeks once a day. */
export const listDueBroadcasts = async (
  db: Db,
  { now, max }: { now: Date; max: number },
): Promise<{ workspaceId: string; broadcastId: string }[]> => {
  const { rows } = await sql<{ workspaceId: string; broadcastId: string }>`
    select b.workspace_id as "workspaceId", b.id as "broadcastId"
    from broadcasts b
    left join report_broadcasts r on r.workspace_id = b.workspace_id and r.broadcast_id = b.id
    where ${isAtWork('b.workspace_id')} and (r.broadcast_id is null
      or (coalesce(b.scheduled_at, b.created_at) > ${now}::timestamptz - interval '2 days'
        and r.computed_at < ${now}::timestamptz - interval '5 minutes')
      or (coalesce(b.scheduled_at, b.created_at) > ${now}::timestamptz - interval '60 days'
        and r.computed_at < ${now}::timestamptz - interval '1 day'))
    order by r.computed_at nulls first, b.id desc
    limit ${max}::integer`.execute(db)
  return rows
}

/** Whether the database knows a time zone; its list may differ from that of Node. */
export const isKnownZone = async ({ db }: Pick<Ctx, 'db'>, timeZone: string): Promise<boolean> => {
  const { rows } = await sql`select from pg_timezone_names where lower(name) = lower(${timeZone})`.execute(db)
  return rows.length > 0
}
