// The contact directory: GET /contacts in both its orders, at most two statements per call. The comments quote
// measurements with 200,000 contacts in one workspace.
import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { seesAll } from '../../platform/ctx/permissions.ts'
import { startOf } from '../../platform/db/horizon.ts'
import {
  arrayOf,
  asText,
  encode,
  type JsonItems,
  type JsonText,
  joinItems,
  objectOf,
} from '../../platform/db/json-text.ts'
import { decodeCursor, encodeCursor, PAGE_DEFAULT, PAGE_MAX } from '../../platform/db/pagination.ts'
import type { ChannelName } from '../../platform/db/tables.ts'
import { type DayPlace, dayAt, isOrdinary, keysAtPlace, keysInDay } from './contact-days.ts'
import { CONTACT_ROW, contactRow, INBOX_CONTACT_ROW, inboxContactRow } from './contact-row.ts'
import {
  allConditions,
  type DirectoryFilter,
  fenced,
  hitsOf,
  normalizeFilter,
  walkConditions,
  whereAll,
} from './directory-filter.ts'
import { CONTACT_PAGE_SIZE_DEFAULT, type ContactsQuery } from './directory-schema.ts'
import { listOwnContacts, OWN_ACTIVITY } from './own-contacts-queries.ts'
import { type DirectoryQuery, listingOf, readDirectoryQuery } from './read-directory-query.ts'
import type { ContactRow, ContactsCreated, ContactsPage, InboxContactRow } from './schema.ts'

/** Up to this many matches are gathered and sorted; with more, walking in order fills a page quickly. */
const GATHERED_MAX = 2000
/** The contacts with a tag may all be old, and a walk would read the others first. 20,000 take about 100 ms. */
const TAGGED_GATHERED_MAX = 20_000
const gatheredMaxOf = ({ tagId }: DirectoryFilter): number =>
  tagId === undefined ? GATHERED_MAX : TAGGED_GATHERED_MAX
/** Up to this many hits of a search are checked against the other filters one by one (a microsecond or two each). */
const LOOKED_UP_MAX = 10_000

/** Up to this position the entries before a page are read. */
const NEAR_MAX = 2_000

/** A page of rows T, in either order. */
type ActivityPage<T> = Omit<ContactsPage, 'contacts'> & { contacts: T[] }
type CreationPage<T> = Omit<ContactsCreated, 'contacts'> & { contacts: T[] }
type Answer<T> = JsonText<ActivityPage<T>> | JsonText<CreationPage<T>>

/** The rows of the ids in `keys` (a statement that yields id and its position), in that order. */
const rowsOf = <T>(
  { workspaceId }: Ctx,
  row: RawBuilder<T>,
  keys: RawBuilder<unknown>,
): RawBuilder<JsonItems<T>> => sql<JsonItems<T>>`
  select coalesce(string_agg(r.json, ','), '') from (
    select ${asText(row)} as json from (${keys}) k
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

/** The ids of a window in activity order, read from the nearer end. Without a filter they come from the index alone. */
const walkedKeys = (
  workspaceId: string,
  filter: DirectoryFilter,
  { offset, count, total }: Window,
): RawBuilder<unknown> => {
  const where = whereAll(workspaceId, walkConditions(filter))
  const inWindow = Math.max(0, Math.min(count, total - offset))
  if (offset <= total / 2)
    return sql`select c.id from contacts c where ${where}
      order by c.last_activity_at desc nulls last, c.id desc limit ${count} offset ${offset}`
  return sql`select c.id from contacts c where ${where}
    order by c.last_activity_at asc nulls first, c.id asc limit ${inWindow} offset ${Math.max(0, total - offset - inWindow)}`
}

/** All matches, by whichever index finds them; only for a small number of matches. */
const matches = (workspaceId: string, filter: DirectoryFilter): RawBuilder<unknown> => {
  const hits = hitsOf(workspaceId, filter)
  if (!hits)
    return sql`select c.id, c.last_activity_at from contacts c where ${whereAll(workspaceId, allConditions(filter))}`
  const where = whereAll(workspaceId, [sql`c.id = h.id`, ...hits.others])
  return sql`select c.id, c.last_activity_at from (${hits.ids} offset 0) h
    cross join lateral (select * from contacts c where ${where} offset 0) c`
}

const gatheredKeys = (
  workspaceId: string,
  filter: DirectoryFilter,
  { offset, count }: Window,
): RawBuilder<unknown> => sql`
  select m.id from (${matches(workspaceId, filter)} offset 0) m
  order by m.last_activity_at desc nulls last, m.id desc limit ${count} offset ${offset}`

/** How many contacts match, if contact_counts does not have it. */
const countOf = (workspaceId: string, filter: DirectoryFilter): RawBuilder<number> => {
  const scanned = sql<number>`
    select count(*) from contacts c where ${whereAll(workspaceId, allConditions(filter))}`
  const hits = hitsOf(workspaceId, filter)
  if (!hits) return scanned
  if (hits.others.length === 0) return sql<number>`select count(*) from (${hits.ids}) h`
  // A few hits are looked up one by one; for more, the contacts that match the other filters are read instead. Only the
  // chosen branch runs.
  return sql<number>`
    with hit as materialized (select id from (${hits.ids}) h limit ${sql.lit(LOOKED_UP_MAX + 1)})
    select case when (select count(*) from hit) <= ${sql.lit(LOOKED_UP_MAX)}
      then (select count(*) from hit h cross join lateral (
        select from contacts c where ${whereAll(workspaceId, [sql`c.id = h.id`, ...hits.others])} offset 0) c)
      else (${scanned}) end`
}

/** Which row of contact_counts has the number of matches; null if none does. */
const countedAs = ({ country, channel, ...others }: DirectoryFilter) => {
  if (Object.keys(others).length > 0 || (country && channel)) return null
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
const listByActivity = async <T>(
  ctx: Ctx,
  row: RawBuilder<T>,
  query: DirectoryQuery,
): Promise<JsonText<ActivityPage<T>>> => {
  const { db, workspaceId } = ctx
  const { page: wanted = 1, pageSize = CONTACT_PAGE_SIZE_DEFAULT } = query
  const filter = normalizeFilter(query)
  const counter = countedAs(filter)
  const rowsIn = (keys: RawBuilder<unknown>) => sql<JsonItems<T>>`(${rowsOf(ctx, row, keys)})`
  const wantedWindow = { offset: Math.min((wanted - 1) * pageSize, Number.MAX_SAFE_INTEGER), count: pageSize }
  // Pages without a filter need no total to find their rows.
  const isFirst = wanted === 1 && counter?.kind === 'total'
  const isFar = wantedWindow.offset > NEAR_MAX && counter?.kind === 'total'
  const firstRows = isFirst
    ? rowsIn(walkedKeys(workspaceId, {}, { ...wantedWindow, total: 0 }))
    : sql`null::text`
  const found = isFar
    ? sql`to_json(place) as place,
        case when ${isOrdinary(wantedWindow)} then ${rowsIn(keysAtPlace(workspaceId, wantedWindow))} end as rows
      from (select) one left join (${dayAt(workspaceId, wantedWindow.offset)}) place on true`
    : sql`null::json as place, ${firstRows} as rows`
  const { rows } = await sql<{
    counted: Counted[] | null
    total: number | null
    place: DayPlace | null
    rows: JsonItems<T> | null
  }>`
    select (${summaryOf(workspaceId)}) as counted,
      ${counter ? sql`null::bigint` : sql`(${countOf(workspaceId, filter)})`} as total, ${found}`.execute(db)
  const summary = rows[0]!
  const counted = summary.counted ?? []
  const total = counter
    ? (counted.find(([kind, key]) => kind === counter.kind && key === counter.key)?.[2] ?? 0)
    : (summary.total ?? 0)
  const totalPages = Math.max(1, Math.ceil(total / pageSize))
  const page = Math.min(wanted, totalPages)
  let contacts = summary.rows ?? joinItems<T>([])
  if (summary.rows === null && total > 0) {
    const window = { offset: (page - 1) * pageSize, count: pageSize, total }
    const keysOf = counter?.kind === 'total' || total > gatheredMaxOf(filter) ? walkedKeys : gatheredKeys
    const keys =
      summary.place && page === wanted
        ? keysInDay(workspaceId, summary.place, window)
        : keysOf(workspaceId, filter, window)
    const read = await sql<{ rows: JsonItems<T> }>`select ${rowsIn(keys)} as rows`.execute(db)
    contacts = read.rows[0]!.rows
  }
  return objectOf<ActivityPage<T>>({
    contacts: arrayOf(contacts),
    total: encode(total),
    page: encode(page),
    pageSize: encode(pageSize),
    totalPages: encode(totalPages),
    facets: encode(facetsOf(counted)),
  })
}

/**
 * A page of the newest contacts, as JSON text. Ids are in order of creation, so the primary key is the index; if few
 * contacts match they are gathered instead, which a bounded probe decides.
 */
const listByCreation = async <T>(
  ctx: Ctx,
  row: RawBuilder<T>,
  query: DirectoryQuery,
): Promise<JsonText<CreationPage<T>>> => {
  const { db, workspaceId } = ctx
  const { limit = PAGE_DEFAULT } = query
  const { createdFrom = '', ...filter } = normalizeFilter(query)
  const listing = ['contacts', workspaceId, ...listingOf(query)]
  const after = query.cursor === undefined ? null : decodeCursor(listing, query.cursor)
  // A range of the order: however few contacts it has, it costs no more than those.
  const before = sql`c.id < ${await startOf(ctx, after)} and c.id >= ${createdFrom}`
  // A literal limit inside the caller's one, for the planner: without it, it would plan for a tenth of all contacts,
  // and sort them.
  const walked = sql`select c.id from contacts c where ${whereAll(workspaceId, [...fenced(allConditions(filter)), before])}
    order by c.id desc limit ${sql.lit(PAGE_MAX + 1)}`
  const gatheredMax = gatheredMaxOf(filter)
  const hits = hitsOf(workspaceId, filter)
  const found = hits?.others.length === 0 ? hits.ids : matches(workspaceId, filter)
  const probe = sql`select m.id from (${found}) m limit ${sql.lit(gatheredMax + 1)}`
  const isFiltered = allConditions(filter).length > 0
  const keys = isFiltered
    ? sql`
      (with probe as materialized (${probe}), few as materialized (select count(*) <= ${sql.lit(gatheredMax)} as yes from probe)
      (select c.id from probe c where (select yes from few) and ${before}
        order by c.id desc limit ${limit + 1})
      union all
      (select w.id from (${walked}) w where not (select yes from few) limit ${limit + 1}))`
    : sql`select w.id from (${walked}) w limit ${limit + 1}`
  const { rows } = await sql<{ id: string; json: JsonText<T> }>`
    select c.id, ${asText(row)} as json from (${keys}) k
    cross join lateral (select * from contacts c where c.workspace_id = ${workspaceId} and c.id = k.id offset 0) c
    order by c.id desc`.execute(db)
  const shown = rows.slice(0, limit)
  const nextCursor = rows.length > limit ? encodeCursor(listing, { at: null, id: shown.at(-1)!.id }) : null
  return objectOf<CreationPage<T>>({
    contacts: arrayOf(joinItems(shown.map(({ json }) => json))),
    nextCursor: encode(nextCursor),
  })
}

const listFrom = <T>(ctx: Ctx, row: RawBuilder<T>, query: DirectoryQuery): Promise<Answer<T>> =>
  query.sort === 'created' ? listByCreation(ctx, row, query) : listByActivity(ctx, row, query)

/** Actors who see only some of the conversations get a directory of the contacts in those. */
export const listContacts = async (ctx: Ctx, given: ContactsQuery): Promise<Answer<ContactRow>> => {
  const query = await readDirectoryQuery(ctx, given)
  return seesAll(ctx.actor)
    ? listFrom(ctx, CONTACT_ROW, query)
    : listOwnContacts(ctx, contactRow(OWN_ACTIVITY), query)
}

/** The same for the console. */
export const listInboxContacts = async (ctx: Ctx, given: ContactsQuery): Promise<Answer<InboxContactRow>> => {
  const query = await readDirectoryQuery(ctx, given)
  return seesAll(ctx.actor)
    ? listFrom(ctx, INBOX_CONTACT_ROW, query)
    : listOwnContacts(ctx, inboxContactRow(OWN_ACTIVITY), query)
}
