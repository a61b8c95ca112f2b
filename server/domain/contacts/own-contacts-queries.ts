// The directory and the profile for actors who see only some of the conversations: the contacts in those, with data from
// those conversations alone. They are gathered and sorted: an agent has hundreds of conversations, rarely thousands. For
// a token that is limited to channels it takes longer the more conversations those have; see
// docs/decisions/0049-token-scopes.md.
import { expressionBuilder, type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { sightOf } from '../../platform/ctx/permissions.ts'
import { startOf } from '../../platform/db/horizon.ts'
import { encode, type JsonText } from '../../platform/db/json-text.ts'
import { decodeCursor, encodeCursor, PAGE_DEFAULT } from '../../platform/db/pagination.ts'
import type { ChannelName } from '../../platform/db/tables.ts'
import { ApiError } from '../../platform/errors.ts'
import { knownTo, seenBy } from '../visible-conversations.ts'
import { type Activity, contactRow } from './contact-row.ts'
import { allConditions, type DirectoryFilter, normalizeFilter } from './directory-filter.ts'
import { CONTACT_PAGE_SIZE_DEFAULT } from './directory-schema.ts'
import { type ProfileRow, profileColumns, withLinks } from './profile-parts.ts'
import { type DirectoryQuery, listingOf } from './read-directory-query.ts'
import type { ContactProfile, ContactRow, InboxContactsCreated, InboxContactsPage } from './schema.ts'

/** Each contact of the conversations that the actor sees, with a summary of those. */
const met = ({ workspaceId, actor }: Ctx, contactId?: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  select v.contact_id, count(*) as conversation_count, count(*) filter (where v.status = 'open') as open_count,
    array_agg(distinct v.channel) as channels, max(v.updated_at) as last_activity_at,
    (array_agg(v.id order by v.updated_at desc, v.id desc))[1] as latest_conversation_id,
    (array_agg(v.agent_id order by v.updated_at desc, v.id desc))[1] as agent_id
  from conversations v
  where v.workspace_id = ${workspaceId}${seenBy(actor, 'v')}
    ${contactId === undefined ? sql`` : sql`and v.contact_id = ${contactId}`}
  group by v.contact_id`

const conditionsOf = ({
  country,
  channel,
  assignment,
  hasOpen,
  ...others
}: DirectoryFilter): RawBuilder<unknown> =>
  sql.join(
    [
      sql`true`,
      ...allConditions(others),
      ...(country ? [sql`c.country_iso = ${country}`] : []),
      ...(channel ? [sql`${channel} = any (o.channels)`] : []),
      ...(assignment ? [sql`o.agent_id is ${assignment === 'assigned' ? sql`not null` : sql`null`}`] : []),
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
  agent_id: string | null
}
const own = expressionBuilder<{ o: Met }, 'o'>()

export const OWN_ACTIVITY: Activity = {
  channels: own.ref('o.channels'),
  conversationId: own.ref('o.latest_conversation_id'),
  conversationCount: own.ref('o.conversation_count'),
  openCount: own.ref('o.open_count'),
  lastActivityAt: own.ref('o.last_activity_at'),
  agentId: own.ref('o.agent_id'),
}

type Facets = InboxContactsPage['facets']

const facetsOf = (): RawBuilder<Facets> => sql<Facets>`json_build_object(
  'countries', (select coalesce(json_agg(json_build_object('code', f.key, 'count', f.count) order by f.count desc, f.key), '[]')
    from (select c.country_iso as key, count(*) as count from own o join contacts c on c.workspace_id = o.workspace_id and c.id = o.contact_id
      where c.country_iso is not null group by 1) f),
  'channels', (select coalesce(json_agg(json_build_object('platform', f.key, 'count', f.count) order by f.count desc, f.key), '[]')
    from (select ch as key, count(*) as count from own o, unnest(o.channels) ch group by 1) f))`

/** A page of rows T, in either order. */
type ActivityPage<T> = Omit<InboxContactsPage, 'contacts'> & { contacts: T[] }
type CreationPage<T> = Omit<InboxContactsCreated, 'contacts'> & { contacts: T[] }

const listByActivity = async <T>(
  ctx: Ctx,
  row: RawBuilder<T>,
  query: DirectoryQuery,
): Promise<JsonText<ActivityPage<T>>> => {
  const { page: wanted = 1, pageSize = CONTACT_PAGE_SIZE_DEFAULT } = query
  const filter = normalizeFilter(query)
  const { rows } = await sql<{ contacts: T[]; total: number; page: number; facets: Facets }>`
    with own as materialized (select ${ctx.workspaceId}::text as workspace_id, o.* from (${met(ctx)}) o),
    matching as materialized (
      select c.id, o.last_activity_at as at
      from own o join contacts c on c.workspace_id = ${ctx.workspaceId} and c.id = o.contact_id
      where ${conditionsOf(filter)}
    ),
    counted as (select count(*) as total from matching),
    paged as (
      select total, least(${wanted}::integer, greatest(1, ceil(total::numeric / ${pageSize}::integer)))::integer as page
      from counted
    )
    select p.total, p.page, ${facetsOf()} as facets,
      (select coalesce(json_agg(${row} order by m.at desc, m.id desc), '[]') from (
        select * from matching m order by m.at desc, m.id desc
        limit ${pageSize}::integer offset (p.page - 1) * ${pageSize}::integer
      ) m
      join own o on o.contact_id = m.id
      join contacts c on c.workspace_id = ${ctx.workspaceId} and c.id = m.id) as contacts
    from paged p`.execute(ctx.db)
  const { contacts, total, page, facets } = rows[0]!
  const totalPages = Math.max(1, Math.ceil(total / pageSize))
  return encode({ contacts, total, page, pageSize, totalPages, facets })
}

/**
 * A token's channels may have most of the contacts, so those are walked by id, each with a look at its conversations.
 */
const createdFrom = (ctx: Ctx): RawBuilder<unknown> =>
  sightOf(ctx.actor).channels === null
    ? sql`(${met(ctx)}) o join contacts c on c.workspace_id = ${ctx.workspaceId} and c.id = o.contact_id`
    : sql`contacts c cross join lateral (${met(ctx, sql`c.id`)}) o`

const listByCreation = async <T>(
  ctx: Ctx,
  row: RawBuilder<T>,
  query: DirectoryQuery,
): Promise<JsonText<CreationPage<T>>> => {
  const { limit = PAGE_DEFAULT } = query
  const { agentId, channels } = sightOf(ctx.actor)
  const filter = normalizeFilter(query)
  const listing = ['ownContacts', ctx.workspaceId, agentId ?? channels?.join(), ...listingOf(query)]
  const after = query.cursor === undefined ? null : decodeCursor(listing, query.cursor)
  const before = await startOf(ctx, after)
  const { rows } = await sql<{ id: string; json: T }>`
    select c.id, ${row} as json
    from ${createdFrom(ctx)}
    where c.workspace_id = ${ctx.workspaceId}${knownTo(ctx.actor, 'c')} and ${conditionsOf(filter)} and c.id < ${before}
    order by c.id desc limit ${limit + 1}`.execute(ctx.db)
  const shown = rows.slice(0, limit)
  const nextCursor = rows.length > limit ? encodeCursor(listing, { at: null, id: shown.at(-1)!.id }) : null
  return encode({ contacts: shown.map(({ json }) => json), nextCursor })
}

/** A page of the contacts of the conversations that the actor sees, as JSON text. `row` is built from OWN_ACTIVITY. */
export const listOwnContacts = <T>(
  ctx: Ctx,
  row: RawBuilder<T>,
  query: DirectoryQuery,
): Promise<JsonText<ActivityPage<T>> | JsonText<CreationPage<T>>> =>
  query.sort === 'created' ? listByCreation(ctx, row, query) : listByActivity(ctx, row, query)

/** Those of several contacts that the actor sees, as the directory shows them, in any order. */
export const findOwnContacts = async (ctx: Ctx, ids: readonly string[]): Promise<ContactRow[]> => {
  const { rows } = await sql<{ contact: ContactRow }>`
    select ${contactRow(OWN_ACTIVITY)} as contact
    from contacts c cross join lateral (${met(ctx, sql`c.id`)}) o
    where c.workspace_id = ${ctx.workspaceId} and c.id = any (${ids}::text[])`.execute(ctx.db)
  return rows.map(({ contact }) => contact)
}

/** The profile with the notes and flow runs of the conversations that the actor sees. Throws CONTACT_NOT_FOUND. */
export const getOwnContactProfile = async (ctx: Ctx, id: string): Promise<ContactProfile> => {
  const { workspaceId, actor } = ctx
  const isOwn = (
    alias: string,
  ) => sql`exists (select from conversations v where v.workspace_id = ${workspaceId}
    and v.id = ${sql.ref(`${alias}.conversation_id`)}${seenBy(actor, 'v')})`
  const { rows } = await sql<ProfileRow>`
    select ${profileColumns(OWN_ACTIVITY, isOwn)}
    from contacts c join (${met(ctx, sql`${id}`)}) o on o.contact_id = c.id
    where c.workspace_id = ${workspaceId} and c.id = ${id}`.execute(ctx.db)
  if (!rows[0]) throw new ApiError('CONTACT_NOT_FOUND')
  return withLinks(ctx, rows[0])
}
