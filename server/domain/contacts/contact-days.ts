// How many contacts had their latest activity on each day. By adding them up from the newest day, a page far into the
// directory is found in its day, without reading the ones before it. Triggers keep the table.
import { type RawBuilder, sql } from 'kysely'
import { isAtWork } from '../../platform/db/closed-workspaces.ts'
import type { Db } from '../../platform/db/pool.ts'

const NEVER = '-infinity'

/** The day that contains a position of the directory in activity order. */
export type DayPlace = {
  /** NEVER for contacts without any activity, who come last. */
  day: string
  /** How many come before the day, and how many are in it. */
  before: number
  count: number
}

/**
 * The row of a DayPlace, or none beyond the last contact. The days are read from the newest one, and only as far as
 * needed.
 */
export const dayAt = (workspaceId: string, position: number): RawBuilder<DayPlace> => sql<DayPlace>`
  select day, before, count from (
    select day, count, sum(count) over (order by day desc rows unbounded preceding) - count as before from (
      select day, sum(change)::integer as count from contact_days where workspace_id = ${workspaceId} group by day
    ) d
  ) r where before + count > ${position} order by day desc limit 1`

type Window = { offset: number; count: number }

/** A day with more contacts is read from its nearer end. */
const ORDINARY_DAY_MAX = 20_000

/** In a statement that has a row of dayAt as `place`: whether keysAtPlace yields the whole window. */
export const isOrdinary = ({ offset, count }: Window): RawBuilder<boolean> => sql<boolean>`
  (place.day > ${sql.lit(NEVER)} and place.count <= ${sql.lit(ORDINARY_DAY_MAX)}
    and place.before + place.count >= ${offset + count})`

/** In such a statement: the ids of the window. */
export const keysAtPlace = (workspaceId: string, { offset, count }: Window): RawBuilder<unknown> => sql`
  select c.id from contacts c
  where c.workspace_id = ${workspaceId}
    and c.last_activity_at < (place.day + 1)::timestamp at time zone 'UTC'
  order by c.last_activity_at desc nulls last, c.id desc limit ${count} offset ${offset} - place.before`

const dayStart = (day: string): RawBuilder<unknown> => sql`(${day}::date::timestamp at time zone 'UTC')`
const dayEnd = (day: string): RawBuilder<unknown> => sql`((${day}::date + 1)::timestamp at time zone 'UTC')`

/** The ids of any window in activity order that begins in that day, read from the day's nearer end. */
export const keysInDay = (
  workspaceId: string,
  { day, before, count }: DayPlace,
  window: Window,
): RawBuilder<unknown> => {
  const skipped = window.offset - before
  const behind = count - skipped - window.count
  const contacts = sql`select c.id from contacts c where c.workspace_id = ${workspaceId}`
  const isNearEnd = behind >= 0 && skipped > count / 2
  if (isNearEnd)
    return day === NEVER
      ? sql`${contacts} and c.last_activity_at is null order by c.id asc limit ${window.count} offset ${behind}`
      : sql`${contacts} and c.last_activity_at >= ${dayStart(day)}
        order by c.last_activity_at asc nulls first, c.id asc limit ${window.count} offset ${behind}`
  const never = (max: RawBuilder<unknown>, from: number) =>
    sql`${contacts} and c.last_activity_at is null order by c.id desc limit ${max} offset ${from}`
  if (day === NEVER) return never(sql`${window.count}`, skipped)
  const active = sql`${contacts} and c.last_activity_at < ${dayEnd(day)}
    order by c.last_activity_at desc nulls last, c.id desc limit ${window.count} offset ${skipped}`
  if (behind >= 0) return active
  return sql`
    with active as materialized (${active})
    select id from active union all (${never(sql`${window.count} - (select count(*) from active)`, 0)})`
}

const FOLDED_MAX = 20_000

/** Folds the changes of each day into one row, a bounded number of days at a time. Several may do so at once. */
export const foldContactDays = async (db: Db): Promise<void> => {
  await sql`
    with changed as materialized (
      select distinct workspace_id, day from (
        select workspace_id, day from contact_days
        where not is_folded and ${isAtWork('workspace_id')} limit ${sql.lit(FOLDED_MAX)}
      ) d
    ), gone as (
      delete from contact_days d using changed c
      where d.workspace_id = c.workspace_id and d.day = c.day returning d.workspace_id, d.day, d.change
    )
    insert into contact_days (workspace_id, day, change, is_folded)
    select workspace_id, day, sum(change), true from gone group by 1, 2 having sum(change) <> 0`.execute(db)
}
