// Reads the feed.
import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '../../platform/ctx/actor.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { sightOf } from '../../platform/ctx/permissions.ts'
import type { Db } from '../../platform/db/pool.ts'
import type { ChannelName } from '../../platform/db/tables.ts'
import { knownTo } from '../visible-conversations.ts'
import type { FeedRow } from './relay-queries.ts'

/** How many events one statement looks at. */
export const LOOK_MAX = 5_000

type Scope = Pick<Ctx, 'db' | 'workspaceId' | 'actor'>

/**
 * `and` a condition that the actor may know of an event `f`: a token that is limited to channels gets their events, those
 * about contacts that it sees, and those about neither.
 */
const knownEvent = (actor: Actor): RawBuilder<unknown> => {
  const { channels } = sightOf(actor)
  if (channels === null) return sql``
  return sql` and (f.channel = any (${channels}::text[]) or f.channel is null and (f.contact_id is null or exists (
    select from contacts c where c.workspace_id = f.workspace_id and c.id = f.contact_id${knownTo(actor, 'c')})))`
}

/** `all` holds; null and undefined leave out a condition. */
export type FeedFilter = {
  types: readonly string[] | null
  conversationId?: string | undefined
  contactId?: string | undefined
  channel?: ChannelName | undefined
}

/** Where a page begins: after a number, or at one of the places that have a name. */
export type Start = { after: number } | { from: 'now' | 'oldest' } | { from: 'sync'; before: Date }

export type FeedPage = {
  epoch: number
  head: number
  sweptTo: number
  /** The page looked at every number after the first of these, up to the second. */
  after: number
  to: number
  /** The ends of the ids at both. */
  afterMark: string
  toMark: string
  rows: FeedRow[]
}

type Place = Omit<FeedPage, 'rows'>
/** Without a match there is one row, with the page's own fields only. */
type PageRow = Place & (FeedRow | { id: null })

const feedRow = sql`workspace_id as "workspaceId", seq, id, type, channel, conversation_id as "conversationId",
  contact_id as "contactId", actor, request_id as "requestId", data, occurred_at as "occurredAt", epoch as "numberedIn"`

/** Looks at so many events after a position, and returns up to `limit` that match. */
export const readFeedPage = async (
  { db, workspaceId, actor }: Scope,
  start: Start,
  { types, conversationId, contactId, channel }: FeedFilter,
  limit: number,
): Promise<FeedPage> => {
  const after = 'after' in start ? start.after : null
  const from = 'from' in start ? start.from : 'cursor'
  const before = 'before' in start ? start.before : null
  const { rows } = await sql<PageRow>`
    with h as materialized (
      select coalesce(r.epoch, 0) as epoch, coalesce(f.seq, 0) as head, coalesce(f.swept_to, 0) as "sweptTo",
        case ${from}::text
          when 'cursor' then ${after}::bigint
          when 'now' then coalesce(f.seq, 0)
          when 'oldest' then coalesce(f.swept_to, 0)
          else coalesce(
            (select seq from feed where workspace_id = ${workspaceId} and numbered_at < ${before}::timestamptz
             order by seq desc limit 1),
            f.swept_to, 0)
        end as after
      from feed_relay r left join feed_heads f on f.workspace_id = ${workspaceId}
    ), page as materialized (
      select ${feedRow} from feed f
      where workspace_id = ${workspaceId}${knownEvent(actor)}
        and seq > (select after from h) and seq <= (select after from h) + ${sql.lit(LOOK_MAX)}
        and (${types}::text[] is null or type = any(${types}::text[]))
        and (${conversationId ?? null}::text is null or conversation_id = ${conversationId ?? null})
        and (${contactId ?? null}::text is null or contact_id = ${contactId ?? null})
        and (${channel ?? null}::text is null or channel = ${channel ?? null})
      order by seq
      limit ${limit}
    ), e as (
      select case when (select count(*) from page) = ${limit} then (select max(seq) from page)
        else least(head, after + ${sql.lit(LOOK_MAX)}) end as "to" from h
    )
    select h.*, e."to",
      coalesce((select right(id, 8) from feed where workspace_id = ${workspaceId} and seq = h.after), '') as "afterMark",
      coalesce((select right(id, 8) from feed where workspace_id = ${workspaceId} and seq = e."to"), '') as "toMark",
      page.*
    from h cross join e left join page on true
    order by page.seq`.execute(db)
  const { epoch, head, sweptTo, to, afterMark, toMark, after: at } = rows[0]!
  return {
    ...{ epoch, head, sweptTo, after: at, to, afterMark, toMark },
    rows: rows.filter((row): row is Place & FeedRow => row.id !== null),
  }
}

export const findFeedRow = async (
  { db, workspaceId, actor }: Scope,
  seq: number,
  id: string,
): Promise<FeedRow | undefined> => {
  const { rows } = await sql<FeedRow>`
    select ${feedRow} from feed f
    where workspace_id = ${workspaceId} and seq = ${seq} and id = ${id}${knownEvent(actor)}`.execute(db)
  return rows[0]
}

/** What decides whether an event matches a filter. */
export type FeedKey = Pick<FeedRow, 'seq' | 'type' | 'channel' | 'conversationId' | 'contactId'>

export const listFeedKeys = async (
  { db, workspaceId }: Pick<Ctx, 'db' | 'workspaceId'>,
  { after, to }: { after: number; to: number },
): Promise<FeedKey[]> => {
  const { rows } = await sql<FeedKey>`
    select seq, type, channel, conversation_id as "conversationId", contact_id as "contactId" from feed
    where workspace_id = ${workspaceId} and seq > ${after} and seq <= ${to}
    order by seq`.execute(db)
  return rows
}

/** The names of those who did something, by the actor as recorded; `customer:<contact id>` for a customer. */
export const nameActors = async (
  { db, workspaceId }: Pick<Ctx, 'db' | 'workspaceId'>,
  actors: readonly string[],
): Promise<Map<string, string>> => {
  const { rows } = await sql<{ actor: string; name: string | null }>`
    select g.actor, case g.type
      when 'token' then (select name from api_tokens where workspace_id = ${workspaceId} and id = g.id)
      when 'automation' then (select name from flows where workspace_id = ${workspaceId} and id = g.id)
      when 'customer' then (select name from contacts where workspace_id = ${workspaceId} and id = g.id)
      else (select a.nickname from memberships m join accounts a on a.id = m.account_id
            where m.workspace_id = ${workspaceId} and m.account_id = g.id) end as name
    from (
      select actor, split_part(actor, ':', 1) as type, split_part(actor, ':', 2) as id
      from unnest(${actors}::text[]) actor
    ) g`.execute(db)
  return new Map(rows.flatMap(({ actor, name }) => (name === null ? [] : [[actor, name]])))
}

const SWEPT_WORKSPACES = 10
const SWEPT_ROWS = 500
export const SWEPT_MAX = SWEPT_WORKSPACES * SWEPT_ROWS

/** Deletes the beginnings of feeds. Returns how many events those were: at most SWEPT_MAX. */
export const sweepFeed = async (db: Db, before: Date): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    with due as (
      select h.workspace_id, h.swept_to from feed_heads h
      where h.swept_to < h.seq and exists (
        select from feed f
        where f.workspace_id = h.workspace_id and f.seq = h.swept_to + 1 and f.numbered_at < ${before})
      order by h.workspace_id
      limit ${sql.lit(SWEPT_WORKSPACES)}
      for update of h skip locked
    ), gone as (
      delete from feed f using due
      where f.workspace_id = due.workspace_id and f.seq > due.swept_to
        and f.seq <= due.swept_to + ${sql.lit(SWEPT_ROWS)} and f.numbered_at < ${before}
      returning f.workspace_id, f.seq
    ), moved as (
      update feed_heads h set swept_to = g.seq
      from (select workspace_id, max(seq) as seq from gone group by workspace_id) g
      where h.workspace_id = g.workspace_id
    )
    select count(*) from gone`.execute(db)
  return rows[0]!.count
}

/** How long the oldest event that the relay has yet to look at has waited. */
export const readFeedLag = async (db: Db): Promise<number> => {
  const { rows } = await sql<{ seconds: number }>`
    select coalesce((
      select extract(epoch from now() - e.created_at) from events e cross join feed_relay r
      where (e.tx, e.id) > (r.tx, r.id) order by e.tx, e.id limit 1), 0)::float8 as seconds`.execute(db)
  return rows[0]!.seconds
}
