// The contact directory: GET /contacts in both its orders, at most two statements a call. Measured with 200,000
// contacts in one workspace; the comments quote that.
import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../ctx.ts'
import type { ChannelName } from '../../db/tables.ts'
import { decodeCursor, encodeCursor, PAGE_DEFAULT, PAGE_MAX } from '../../http/pagination.ts'
import { confinedTo } from '../roles/permissions.ts'
import {
  allConditions,
  type DirectoryFilter,
  fenced,
  normalizeFilter,
  plainConditions,
  searchHits,
  searchTermOf,
  whereAll,
} from './directory-filter.ts'
import { listOwnContacts } from './own-contacts-queries.ts'
import { CONTACT_PAGE_SIZE_DEFAULT, type ContactsQuery } from './schema.ts'

/** Up to this many matches are gathered and sorted; more of them lie close enough to walk the order until a page is full. */
const GATHERED_MAX = 2000
/** Up to this many hits of a search are held against the other filters one by one (a microsecond or two each). */
const LOOKED_UP_MAX = 10_000

/** A contact's list row as JSON text, from a row of contacts called c. */
const rowJson = sql<string>`json_build_object(
  'id', c.id, 'name', c.name, 'email', c.email, 'phone', c.phone, 'countryIso', c.country_iso,
  'channels', c.channels, 'conversationId', c.latest_conversation_id,
  'conversationCount', c.conversation_count, 'openCount', c.open_count,
  'lastActivityAt', to_char(c.last_activity_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
  'assignedAgent', (select json_build_object('id', a.id, 'nickname', a.nickname)
    from accounts a where a.id = c.assigned_agent_id))::text`

/** The rows of the ids in `keys` (a statement that yields id and its place), in their places, as the inside of a JSON array. */
const rowsOf = (workspaceId: string, keys: RawBuilder<unknown>): RawBuilder<string> => sql<string>`
  select coalesce(string_agg(r.json, ','), '') from (
    select ${rowJson} as json from (${keys}) k
    cross join lateral (
      select * from contacts c where c.workspace_id = ${workspaceId} and c.id = k.id offset 0
    ) c
    order by c.last_activity_at desc nulls last, c.id desc
  ) r`

type Counted = ['total' | 'country' | 'channel', string, number]

const summaryOf = (workspaceId: string): RawBuilder<Counted[]> => sql<Counted[]>`
  select json_agg(json_build_array(kind, key, count)) from (
    select kind, key, sum(count) as count from contact_counts where workspace_id = ${workspaceId} group by kind, key
  ) t`

type Window = { offset: number; count: number; total: number }

/**
 * The ids of a window in activity order. From the index alone where there is no filter, and from the end that is
 * nearer: the last page costs what the first does, the middle one 15 ms.
 */
const walkedKeys = (
  workspaceId: string,
  filter: DirectoryFilter,
  { offset, count, total }: Window,
): RawBuilder<unknown> => {
  const where = whereAll(workspaceId, allConditions(filter))
  const inWindow = Math.max(0, Math.min(count, total - offset))
  if (offset <= total / 2)
    return sql`select c.id from contacts c where ${where}
      order by c.last_activity_at desc nulls last, c.id desc limit ${count} offset ${offset}`
  return sql`select c.id from contacts c where ${where}
    order by c.last_activity_at asc nulls first, c.id asc limit ${inWindow} offset ${Math.max(0, total - offset - inWindow)}`
}

/** All matches, by whichever index leads to them; for a few of them. */
const matches = (workspaceId: string, filter: DirectoryFilter): RawBuilder<unknown> => {
  if (!filter.search)
    return sql`select c.id, c.last_activity_at from contacts c where ${whereAll(workspaceId, allConditions(filter))}`
  const where = whereAll(workspaceId, [sql`c.id = h.id`, ...plainConditions(filter)])
  return sql`select c.id, c.last_activity_at from (${searchHits(workspaceId, searchTermOf(filter.search))} offset 0) h
    cross join lateral (select * from contacts c where ${where} offset 0) c`
}

const gatheredKeys = (
  workspaceId: string,
  filter: DirectoryFilter,
  { offset, count }: Window,
): RawBuilder<unknown> => sql`
  select m.id from (${matches(workspaceId, filter)} offset 0) m
  order by m.last_activity_at desc nulls last, m.id desc limit ${count} offset ${offset}`

/** How many contacts match, where contact_counts does not say. */
const countOf = (workspaceId: string, filter: DirectoryFilter): RawBuilder<number> => {
  const scanned = sql<number>`
    select count(*) from contacts c where ${whereAll(workspaceId, allConditions(filter))}`
  if (!filter.search) return scanned
  const hits = searchHits(workspaceId, searchTermOf(filter.search))
  const plain = plainConditions(filter)
  if (plain.length === 0) return sql<number>`select count(*) from (${hits}) h`
  // Few hits are looked up one by one; for more, the contacts that the other filters leave are read instead. Only the
  // branch that is taken runs.
  return sql<number>`
    with hit as materialized (select id from (${hits}) h limit ${sql.lit(LOOKED_UP_MAX + 1)})
    select case when (select count(*) from hit) <= ${sql.lit(LOOKED_UP_MAX)}
      then (select count(*) from hit h cross join lateral (
        select from contacts c where ${whereAll(workspaceId, [sql`c.id = h.id`, ...plain])} offset 0) c)
      else (${scanned}) end`
}

/** Which row of contact_counts holds the number of matches; null when none does. */
const countedAs = ({ search, country, channel, assignment, hasOpen }: DirectoryFilter) => {
  if (search || assignment || hasOpen || (country && channel)) return null
  if (country) return { kind: 'country', key: country }
  if (channel) return { kind: 'channel', key: channel }
  return { kind: 'total', key: '' }
}

const facetsOf = (counted: Counted[]) => {
  const of = (wanted: 'country' | 'channel') =>
    counted
      .filter(([kind, , count]) => kind === wanted && count > 0)
      .sort(([, a, countA], [, b, countB]) => countB - countA || (a < b ? -1 : 1))
  return {
    countries: of('country').map(([, code, count]) => ({ code, count })),
    channels: of('channel').map(([, platform, count]) => ({ platform: platform as ChannelName, count })),
  }
}

/** A page in activity order, as JSON text. */
export const listContactsByActivity = async (ctx: Ctx, query: ContactsQuery): Promise<string> => {
  const { db, workspaceId } = ctx
  const { page: wanted = 1, pageSize = CONTACT_PAGE_SIZE_DEFAULT } = query
  const filter = normalizeFilter(query)
  const counter = countedAs(filter)
  const isFirst = wanted === 1 && counter?.kind === 'total'
  // The first unfiltered page, which is most of the calls, needs no total to find its rows: one statement.
  const firstRows = rowsOf(workspaceId, walkedKeys(workspaceId, {}, { offset: 0, count: pageSize, total: 0 }))
  const { rows } = await sql<{ counted: Counted[] | null; total: number | null; rows: string | null }>`
    select (${summaryOf(workspaceId)}) as counted,
      ${counter ? sql`null::bigint` : sql`(${countOf(workspaceId, filter)})`} as total,
      ${isFirst ? sql`(${firstRows})` : sql`null::text`} as rows`.execute(db)
  const summary = rows[0]!
  const counted = summary.counted ?? []
  const total = counter
    ? (counted.find(([kind, key]) => kind === counter.kind && key === counter.key)?.[2] ?? 0)
    : (summary.total ?? 0)
  const totalPages = Math.max(1, Math.ceil(total / pageSize))
  const page = Math.min(wanted, totalPages)
  let contacts = summary.rows ?? ''
  if (!isFirst && total > 0) {
    const window = { offset: (page - 1) * pageSize, count: pageSize, total }
    const keysOf = counter?.kind === 'total' || total > GATHERED_MAX ? walkedKeys : gatheredKeys
    const found = await sql<{ rows: string }>`
      select (${rowsOf(workspaceId, keysOf(workspaceId, filter, window))}) as rows`.execute(db)
    contacts = found.rows[0]!.rows
  }
  const rest = JSON.stringify({ total, page, pageSize, totalPages, facets: facetsOf(counted) })
  return `{"contacts":[${contacts}],${rest.slice(1)}`
}

/**
 * A page of the newest contacts, as JSON text. Ids are in the order of creation, so the primary key is the index; where
 * few contacts match they are gathered instead, and a probe that stops at the bound decides which.
 */
export const listContactsByCreation = async (ctx: Ctx, query: ContactsQuery): Promise<string> => {
  const { db, workspaceId } = ctx
  const { limit = PAGE_DEFAULT } = query
  const filter = normalizeFilter(query)
  const { search, country, channel, assignment, hasOpen } = filter
  const listing = ['contacts', workspaceId, search, country, channel, assignment, hasOpen]
  const after = query.cursor === undefined ? undefined : decodeCursor(listing, query.cursor).id
  const isAfter = after === undefined ? [] : [sql`c.id < ${after}`]
  // A limit that the planner can read, inside the one that the caller gave: without it, it would plan for a tenth of all
  // contacts, and sort them.
  const walked = sql`select c.id from contacts c where ${whereAll(workspaceId, [...fenced(allConditions(filter)), ...isAfter])}
    order by c.id desc limit ${sql.lit(PAGE_MAX + 1)}`
  const found =
    search && plainConditions(filter).length === 0
      ? searchHits(workspaceId, searchTermOf(search))
      : matches(workspaceId, filter)
  const probe = sql`select m.id from (${found}) m limit ${sql.lit(GATHERED_MAX + 1)}`
  const isFiltered = allConditions(filter).length > 0
  const keys = isFiltered
    ? sql`
      (with probe as materialized (${probe}), few as materialized (select count(*) <= ${sql.lit(GATHERED_MAX)} as yes from probe)
      (select c.id from probe c where (select yes from few) and ${sql.join([sql`true`, ...isAfter], sql` and `)}
        order by c.id desc limit ${limit + 1})
      union all
      (select w.id from (${walked}) w where not (select yes from few) limit ${limit + 1}))`
    : sql`select w.id from (${walked}) w limit ${limit + 1}`
  const { rows } = await sql<{ id: string; json: string }>`
    select c.id, ${rowJson} as json from (${keys}) k
    cross join lateral (select * from contacts c where c.workspace_id = ${workspaceId} and c.id = k.id offset 0) c
    order by c.id desc`.execute(db)
  const shown = rows.slice(0, limit)
  const nextCursor = rows.length > limit ? encodeCursor(listing, { at: null, id: shown.at(-1)!.id }) : null
  return `{"contacts":[${shown.map(({ json }) => json).join(',')}],"nextCursor":${JSON.stringify(nextCursor)}}`
}

/** Whoever is confined to their own conversations has a directory of the contacts in them. */
export const listContacts = (ctx: Ctx, query: ContactsQuery): Promise<string> =>
  confinedTo(ctx.actor) !== null
    ? listOwnContacts(ctx, query)
    : query.sort === 'created'
      ? listContactsByCreation(ctx, query)
      : listContactsByActivity(ctx, query)
