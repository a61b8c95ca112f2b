// The conversations behind a figure of the report, read from the rows that it was counted from.
import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { idFloor } from '../../platform/db/id.ts'
import { decodeCursor, encodeCursor, PAGE_DEFAULT } from '../../platform/db/pagination.ts'
import { seenBy } from '../visible-conversations.ts'
import { broadcastOf, ENTRIES, eventsOf, openOf, type Span, spanOfRange } from './counted-queries.ts'
import { rangeOf } from './days.ts'
import { readPeriod } from './period.ts'
import type { EntriesQuery, Entry, EntryList, Figure } from './schema.ts'

const isOneOf = <T extends object>(table: T, figure: Figure): figure is Figure & keyof T =>
  Object.hasOwn(table, figure)

/** Of those that were counted with how long they took. */
const TOOK = sql`round(extract(epoch from e.at - e.since) * 1000)::float8 as "tookMs"`
const COUNTED = sql`e.counted_seconds * 1000::float8 as "countedMs", not e.is_answered as "isUnanswered"`
const RATED = sql`e.rating, e.comment`

type Kind = {
  rows: RawBuilder<unknown>
  /** What it has besides the others. */
  took?: RawBuilder<unknown>
  counted?: RawBuilder<unknown>
  rated?: RawBuilder<unknown>
  /** Ids don't sort by when it happened. */
  isByTime?: boolean
  /** Its id is that of a message. */
  isMessage?: boolean
}

const kindOf = (span: Span, toId: string, { figure, broadcast }: EntriesQuery): Kind => {
  if (figure === 'rating') return { rows: ENTRIES.rating(span), rated: RATED, isByTime: true }
  if (figure === 'met' || figure === 'missed')
    return { rows: ENTRIES[figure](span), took: TOOK, counted: COUNTED, isByTime: true }
  if (isOneOf(ENTRIES, figure)) return { rows: ENTRIES[figure](span), took: TOOK, isMessage: true }
  if (figure === 'open') return { rows: openOf(span, toId) }
  if (figure === 'sent' || figure === 'delivered' || figure === 'read' || figure === 'answered')
    return { rows: broadcastOf(span, { figure, broadcastId: broadcast ?? '' }), isMessage: true }
  return { rows: eventsOf(span, figure), isMessage: figure !== 'conversations' }
}

/**
 * The newest first, of the conversations that the actor may see. Throws VALIDATION_ERROR for a period that ends before it
 * begins or is longer than 366 days, and for a foreign cursor.
 */
export const listReportEntries = async (ctx: Ctx, query: EntriesQuery): Promise<EntryList> => {
  const { cursor, ...filter } = query
  const { figure, from, to, channel, person, team, weekday, hour, rating, reply } = filter
  const { timeZone } = await readPeriod(ctx, query)
  const listing = ['listReportEntries', ctx.workspaceId, JSON.stringify(filter)]
  const before = cursor === undefined ? undefined : decodeCursor(listing, cursor)
  const range = rangeOf(from, to, timeZone)
  const isByTime = figure === 'rating' || figure === 'met' || figure === 'missed'
  const upTo = {
    ...range,
    ...(before && !isByTime && { toId: before.id }),
    // However long ago they were created.
    ...(figure === 'open' && { fromId: '' }),
  }
  const span = spanOfRange(ctx.workspaceId, timeZone, upTo)
  const kind = kindOf(span, range.toId, filter)
  const on = (column: 'isodow' | 'hour') =>
    sql`extract(${sql.raw(column)} from e.at at time zone ${timeZone})`
  const where: RawBuilder<unknown>[] = [
    ...(person === undefined ? [] : [sql`e.person = ${person}`]),
    ...(team === undefined || !isOneOf(ENTRIES, figure) ? [] : [sql`e.team = ${team}`]),
    ...(weekday === undefined ? [] : [sql`${on('isodow')} = ${weekday}`]),
    ...(hour === undefined ? [] : [sql`${on('hour')} = ${hour}`]),
    ...(channel === undefined ? [] : [sql`c.channel = ${channel}`]),
    ...(rating !== undefined && kind.rated ? [sql`e.rating = ${rating}`] : []),
    ...(reply !== undefined && kind.counted ? [sql`e.kind = ${reply}`] : []),
    ...(isByTime && before ? [sql`(e.at, e.id) < (${before.at}::timestamptz, ${before.id})`] : []),
    ...(!isByTime && before ? [sql`e.id < ${before.id}`] : []),
  ]
  const order = isByTime ? sql`e.at desc, e.id desc` : sql`e.id desc`
  const { rows } = await sql<Omit<Entry, 'messageId'>>`
    select e.id, e.conversation_id as "conversationId", k.name as "contactName", c.channel, e.at,
      ${kind.took ?? sql`null as "tookMs"`}, ${kind.counted ?? sql`null as "countedMs", false as "isUnanswered"`},
      ${kind.rated ?? sql`null::integer as rating, null as comment`}
    from (${kind.rows}) e
    join conversations c on c.workspace_id = ${ctx.workspaceId} and c.id = e.conversation_id
    join contacts k on k.workspace_id = ${ctx.workspaceId} and k.id = c.contact_id
    where true${sql.join(
      where.map((condition) => sql` and ${condition}`),
      sql``,
    )}${seenBy(ctx.actor, 'c')}
    order by ${order} limit ${PAGE_DEFAULT + 1}::integer`.execute(ctx.db)
  const entries = rows.slice(0, PAGE_DEFAULT)
  const last = rows.length > PAGE_DEFAULT ? entries.at(-1) : undefined
  const messageIds = kind.isMessage ? null : await findMessages(ctx, entries)
  return {
    entries: entries.map((entry) => ({
      ...entry,
      messageId: messageIds ? (messageIds.get(entry.id) ?? null) : entry.id,
    })),
    nextCursor: last ? encodeCursor(listing, { at: isByTime ? last.at : null, id: last.id }) : null,
  }
}

/** The last message up to when it happened, or the first of the conversation. Notes and lines of the system count. */
const findMessages = async (
  { db, workspaceId }: Ctx,
  entries: readonly Pick<Entry, 'id' | 'conversationId' | 'at'>[],
): Promise<Map<string, string | null>> => {
  const { rows } = await sql<{ id: string; messageId: string | null }>`
    select e.id, coalesce(
      (select m.id from messages m where m.workspace_id = ${workspaceId} and m.conversation_id = e.conversation_id
        and m.id < e.after_id order by m.id desc limit 1),
      (select m.id from messages m where m.workspace_id = ${workspaceId} and m.conversation_id = e.conversation_id
        order by m.id limit 1)) as "messageId"
    from unnest(${entries.map(({ id }) => id)}::text[],
      ${entries.map(({ conversationId }) => conversationId)}::text[],
      ${entries.map(({ at }) => idFloor(Date.parse(at) + 1))}::text[]) as e (id, conversation_id, after_id)`.execute(
    db,
  )
  return new Map(rows.map(({ id, messageId }) => [id, messageId]))
}
