// The conversations behind a figure of the report, read from the rows that it was counted from.
import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { decodeCursor, encodeCursor, PAGE_DEFAULT } from '../../platform/db/pagination.ts'
import { seenBy } from '../visible-conversations.ts'
import { ENTRIES, eventsOf, spanOfRange } from './counted-queries.ts'
import { rangeOf } from './days.ts'
import { readPeriod } from './period.ts'
import type { EntriesQuery, Entry, EntryList, Figure } from './schema.ts'

const isTimed = (figure: Figure): figure is keyof typeof ENTRIES => Object.hasOwn(ENTRIES, figure)

/**
 * The newest first, of the conversations that the actor may see. Throws VALIDATION_ERROR for a period that ends before it
 * begins or is longer than 366 days, and for a foreign cursor.
 */
export const listReportEntries = async (ctx: Ctx, query: EntriesQuery): Promise<EntryList> => {
  const { figure, from, to, channel, person, team, weekday, hour, rating, cursor } = query
  const { timeZone } = await readPeriod(ctx, query)
  const filter = [from, to, channel, figure, person, team, weekday, hour, rating]
  const listing = ['listReportEntries', ctx.workspaceId, ...filter]
  const before = cursor === undefined ? undefined : decodeCursor(listing, cursor)
  const range = rangeOf(from, to, timeZone)
  const isByTime = figure === 'rating'
  // Ids of ratings are those of runs, which don't sort by when the rating was given.
  const upTo = before && !isByTime ? { ...range, toId: before.id } : range
  const span = spanOfRange(ctx.workspaceId, timeZone, upTo)
  const on = (column: 'isodow' | 'hour') =>
    sql`extract(${sql.raw(column)} from e.at at time zone ${timeZone})`
  const where: RawBuilder<unknown>[] = [
    ...(person === undefined ? [] : [sql`e.person = ${person}`]),
    ...(team === undefined || !isTimed(figure) ? [] : [sql`e.team = ${team}`]),
    ...(weekday === undefined ? [] : [sql`${on('isodow')} = ${weekday}`]),
    ...(hour === undefined ? [] : [sql`${on('hour')} = ${hour}`]),
    ...(channel === undefined ? [] : [sql`c.channel = ${channel}`]),
    ...(isByTime && rating !== undefined ? [sql`e.rating = ${rating}`] : []),
    ...(isByTime && before ? [sql`(e.at, e.id) < (${before.at}::timestamptz, ${before.id})`] : []),
  ]
  const order = isByTime ? sql`e.at desc, e.id desc` : sql`e.id desc`
  const { rows } = await sql<Entry>`
    select e.id, e.conversation_id as "conversationId", k.name as "contactName", c.channel, e.at,
      ${isTimed(figure) && !isByTime ? TOOK : sql`null`} as "tookMs",
      ${isByTime ? sql`e.rating` : sql`null::integer`} as rating, ${isByTime ? sql`e.comment` : sql`null`} as comment
    from (${isTimed(figure) ? ENTRIES[figure](span) : eventsOf(span, figure)}) e
    join conversations c on c.workspace_id = ${ctx.workspaceId} and c.id = e.conversation_id
    join contacts k on k.workspace_id = ${ctx.workspaceId} and k.id = c.contact_id
    where true${sql.join(
      where.map((condition) => sql` and ${condition}`),
      sql``,
    )}${seenBy(ctx.actor, 'c')}
    order by ${order} limit ${PAGE_DEFAULT + 1}::integer`.execute(ctx.db)
  const entries = rows.slice(0, PAGE_DEFAULT)
  const last = rows.length > PAGE_DEFAULT ? entries.at(-1) : undefined
  return {
    entries,
    nextCursor: last ? encodeCursor(listing, { at: isByTime ? last.at : null, id: last.id }) : null,
  }
}

/** A number of milliseconds, which an integer ends counting after 24 days. */
const TOOK = sql`round(extract(epoch from e.at - e.since) * 1000)::float8`
