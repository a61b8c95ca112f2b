// The directory and the profile for agents who see only their own conversations: the contacts in those, with data from
// those conversations alone. Such an agent has hundreds of conversations, rarely thousands, so they are gathered and
// sorted; nothing here would scale to a whole workspace.
import { expressionBuilder, type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { confinedTo } from '../../platform/ctx/permissions.ts'
import { startOf } from '../../platform/db/horizon.ts'
import { encode, type JsonText } from '../../platform/db/json-text.ts'
import { decodeCursor, encodeCursor, PAGE_DEFAULT } from '../../platform/db/pagination.ts'
import type { ChannelName } from '../../platform/db/tables.ts'
import { ApiError } from '../../platform/errors.ts'
import { inboxContactRow } from './contact-row.ts'
import {
  type DirectoryFilter,
  normalizeFilter,
  plainConditions,
  searchMatches,
  searchTermOf,
} from './directory-filter.ts'
import { CONTACT_PAGE_SIZE_DEFAULT } from './directory-schema.ts'
import { profileColumns, withAvatarLink } from './profile-parts.ts'
import { type DirectoryQuery, keyOf } from './read-exact-filter.ts'
import type { ContactProfile, InboxContactRow, InboxContactsCreated, InboxContactsPage } from './schema.ts'

const ownerOf = ({ actor }: Ctx): string => {
  const owner = confinedTo(actor)
  if (owner === null) throw new Error('somebody who sees everything has no directory of their own')
  return owner
}

/** Each contact of the agent's conversations, with a summary of those. */
const met = ({ workspaceId }: Ctx, owner: string, contactId?: string): RawBuilder<unknown> => sql`
  select v.contact_id, count(*) as conversation_count, count(*) filter (where v.status = 'open') as open_count,
    array_agg(distinct v.channel) as channels, max(v.updated_at) as last_activity_at,
    (array_agg(v.id order by v.updated_at desc, v.id desc))[1] as latest_conversation_id
  from conversations v
  where v.workspace_id = ${workspaceId} and v.agent_id = ${owner}
    ${contactId === undefined ? sql`` : sql`and v.contact_id = ${contactId}`}
  group by v.contact_id`

/** The latest of their own conversations is always assigned to the agent. */
const conditionsOf = ({
  search,
  country,
  channel,
  assignment,
  hasOpen,
  exact,
}: DirectoryFilter): RawBuilder<unknown> =>
  sql.join(
    [
      sql`true`,
      ...(search ? [searchMatches(searchTermOf(search))] : []),
      ...(exact ? plainConditions({ exact }) : []),
      ...(country ? [sql`c.country_iso = ${country}`] : []),
      ...(channel ? [sql`${channel} = any (o.channels)`] : []),
      ...(assignment === 'unassigned' ? [sql`false`] : []),
      ...(hasOpen ? [sql`o.open_count > 0`] : []),
    ],
    sql` and `,
  )

type Met = {
  conversation_count: number
  open_count: number
  channels: ChannelName[]
  last_activity_at: string
  latest_conversation_id: string
}
const own = expressionBuilder<{ o: Met }, 'o'>()

const OWN_ACTIVITY = {
  channels: own.ref('o.channels'),
  conversationId: own.ref('o.latest_conversation_id'),
  conversationCount: own.ref('o.conversation_count'),
  openCount: own.ref('o.open_count'),
  lastActivityAt: own.ref('o.last_activity_at'),
}

const rowOf = (owner: string): RawBuilder<InboxContactRow> =>
  inboxContactRow({ ...OWN_ACTIVITY, agentId: own.val(owner) })

type Facets = InboxContactsPage['facets']

const facetsOf = (): RawBuilder<Facets> => sql<Facets>`json_build_object(
  'countries', (select coalesce(json_agg(json_build_object('code', f.key, 'count', f.count) order by f.count desc, f.key), '[]')
    from (select c.country_iso as key, count(*) as count from own o join contacts c on c.workspace_id = o.workspace_id and c.id = o.contact_id
      where c.country_iso is not null group by 1) f),
  'channels', (select coalesce(json_agg(json_build_object('platform', f.key, 'count', f.count) order by f.count desc, f.key), '[]')
    from (select ch as key, count(*) as count from own o, unnest(o.channels) ch group by 1) f))`

const listByActivity = async (ctx: Ctx, query: DirectoryQuery): Promise<JsonText<InboxContactsPage>> => {
  const { page: wanted = 1, pageSize = CONTACT_PAGE_SIZE_DEFAULT } = query
  const owner = ownerOf(ctx)
  const filter = normalizeFilter(query)
  const { rows } = await sql<{ contacts: InboxContactRow[]; total: number; page: number; facets: Facets }>`
    with own as materialized (select ${ctx.workspaceId}::text as workspace_id, o.* from (${met(ctx, owner)}) o),
    matching as materialized (
      select c.id, ${rowOf(owner)} as json, o.last_activity_at as at
      from own o join contacts c on c.workspace_id = ${ctx.workspaceId} and c.id = o.contact_id
      where ${conditionsOf(filter)}
    ),
    counted as (select count(*) as total from matching),
    paged as (
      select total, least(${wanted}::integer, greatest(1, ceil(total::numeric / ${pageSize}::integer)))::integer as page
      from counted
    )
    select p.total, p.page, ${facetsOf()} as facets,
      (select coalesce(json_agg(r.json order by r.at desc, r.id desc), '[]') from (
        select * from matching m order by m.at desc, m.id desc
        limit ${pageSize}::integer offset (p.page - 1) * ${pageSize}::integer
      ) r) as contacts
    from paged p`.execute(ctx.db)
  const { contacts, total, page, facets } = rows[0]!
  const totalPages = Math.max(1, Math.ceil(total / pageSize))
  return encode({ contacts, total, page, pageSize, totalPages, facets })
}

const listByCreation = async (ctx: Ctx, query: DirectoryQuery): Promise<JsonText<InboxContactsCreated>> => {
  const { limit = PAGE_DEFAULT } = query
  const owner = ownerOf(ctx)
  const filter = normalizeFilter(query)
  const { search, country, channel, assignment, hasOpen, exact } = filter
  const filters = [search, country, channel, assignment, hasOpen, keyOf(exact)]
  const listing = ['ownContacts', ctx.workspaceId, owner, ...filters]
  const after = query.cursor === undefined ? null : decodeCursor(listing, query.cursor)
  const before = await startOf(ctx, after)
  const { rows } = await sql<{ id: string; json: InboxContactRow }>`
    select c.id, ${rowOf(owner)} as json
    from (${met(ctx, owner)}) o join contacts c on c.workspace_id = ${ctx.workspaceId} and c.id = o.contact_id
    where ${conditionsOf(filter)} and c.id < ${before}
    order by c.id desc limit ${limit + 1}`.execute(ctx.db)
  const shown = rows.slice(0, limit)
  const nextCursor = rows.length > limit ? encodeCursor(listing, { at: null, id: shown.at(-1)!.id }) : null
  return encode({ contacts: shown.map(({ json }) => json), nextCursor })
}

/** A page of the contacts of the actor's own conversations, as JSON text. */
export const listOwnContacts = (
  ctx: Ctx,
  query: DirectoryQuery,
): Promise<JsonText<InboxContactsPage> | JsonText<InboxContactsCreated>> =>
  query.sort === 'created' ? listByCreation(ctx, query) : listByActivity(ctx, query)

/** The profile with the notes and flow runs of the actor's own conversations. Throws CONTACT_NOT_FOUND. */
export const getOwnContactProfile = async (ctx: Ctx, id: string): Promise<ContactProfile> => {
  const { workspaceId } = ctx
  const owner = ownerOf(ctx)
  const isOwn = (
    alias: string,
  ) => sql`exists (select from conversations v where v.workspace_id = ${workspaceId}
    and v.id = ${sql.ref(`${alias}.conversation_id`)} and v.agent_id = ${owner})`
  const { rows } = await sql<ContactProfile>`
    select ${profileColumns(OWN_ACTIVITY, isOwn)}
    from contacts c join (${met(ctx, owner, id)}) o on o.contact_id = c.id
    where c.workspace_id = ${workspaceId} and c.id = ${id}`.execute(ctx.db)
  if (!rows[0]) throw new ApiError('CONTACT_NOT_FOUND')
  return withAvatarLink(ctx, rows[0])
}
