// The directory and the profile for somebody who sees only their own conversations: the contacts of those, with what
// those conversations alone say of them. Such a person has hundreds of conversations, seldom thousands, so they are
// gathered and sorted; nothing here is made for a whole workspace.
import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../ctx.ts'
import type { ChannelName } from '../../db/tables.ts'
import { ApiError } from '../../errors.ts'
import { decodeCursor, encodeCursor, PAGE_DEFAULT } from '../../http/pagination.ts'
import { confinedTo } from '../roles/permissions.ts'
import { type DirectoryFilter, normalizeFilter, searchMatches, searchTermOf } from './directory-filter.ts'
import { FLOWS_SHOWN_MAX, iso, NOTES_SHOWN_MAX, withAvatarLink } from './profile-parts.ts'
import {
  CONTACT_PAGE_SIZE_DEFAULT,
  type ContactProfile,
  type ContactRow,
  type ContactsQuery,
} from './schema.ts'

const ownerOf = ({ actor }: Ctx): string => {
  const owner = confinedTo(actor)
  if (owner === null) throw new Error('somebody who sees everything has no directory of their own')
  return owner
}

/** Each contact of the agent's conversations, with what those say. */
const met = ({ workspaceId }: Ctx, owner: string, contactId?: string): RawBuilder<unknown> => sql`
  select v.contact_id, count(*) as conversation_count, count(*) filter (where v.status = 'open') as open_count,
    array_agg(distinct v.channel) as channels, max(v.updated_at) as last_activity_at,
    (array_agg(v.id order by v.updated_at desc, v.id desc))[1] as latest_conversation_id
  from conversations v
  where v.workspace_id = ${workspaceId} and v.agent_id = ${owner}
    ${contactId === undefined ? sql`` : sql`and v.contact_id = ${contactId}`}
  group by v.contact_id`

/** The latest of their own conversations has an agent: themselves. */
const conditionsOf = ({
  search,
  country,
  channel,
  assignment,
  hasOpen,
}: DirectoryFilter): RawBuilder<unknown> =>
  sql.join(
    [
      sql`true`,
      ...(search ? [searchMatches(searchTermOf(search))] : []),
      ...(country ? [sql`c.country_iso = ${country}`] : []),
      ...(channel ? [sql`${channel} = any (o.channels)`] : []),
      ...(assignment === 'unassigned' ? [sql`false`] : []),
      ...(hasOpen ? [sql`o.open_count > 0`] : []),
    ],
    sql` and `,
  )

const rowJson = (owner: string): RawBuilder<ContactRow> => sql<ContactRow>`json_build_object(
  'id', c.id, 'name', c.name, 'email', c.email, 'phone', c.phone, 'countryIso', c.country_iso,
  'channels', o.channels, 'conversationId', o.latest_conversation_id, 'conversationCount', o.conversation_count,
  'openCount', o.open_count, 'lastActivityAt', ${iso('o.last_activity_at')},
  'assignedAgent', (select json_build_object('id', a.id, 'nickname', a.nickname) from accounts a where a.id = ${owner}))`

type Facets = {
  countries: { code: string; count: number }[]
  channels: { platform: ChannelName; count: number }[]
}

const facetsOf = (): RawBuilder<Facets> => sql<Facets>`json_build_object(
  'countries', (select coalesce(json_agg(json_build_object('code', f.key, 'count', f.count) order by f.count desc, f.key), '[]')
    from (select c.country_iso as key, count(*) as count from own o join contacts c on c.workspace_id = o.workspace_id and c.id = o.contact_id
      where c.country_iso is not null group by 1) f),
  'channels', (select coalesce(json_agg(json_build_object('platform', f.key, 'count', f.count) order by f.count desc, f.key), '[]')
    from (select ch as key, count(*) as count from own o, unnest(o.channels) ch group by 1) f))`

const listByActivity = async (ctx: Ctx, query: ContactsQuery): Promise<string> => {
  const { page: wanted = 1, pageSize = CONTACT_PAGE_SIZE_DEFAULT } = query
  const owner = ownerOf(ctx)
  const filter = normalizeFilter(query)
  const { rows } = await sql<{ contacts: ContactRow[]; total: number; page: number; facets: Facets }>`
    with own as materialized (select ${ctx.workspaceId}::text as workspace_id, o.* from (${met(ctx, owner)}) o),
    matching as materialized (
      select c.id, ${rowJson(owner)} as json, o.last_activity_at as at
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
  return JSON.stringify({ contacts, total, page, pageSize, totalPages, facets })
}

const listByCreation = async (ctx: Ctx, query: ContactsQuery): Promise<string> => {
  const { limit = PAGE_DEFAULT } = query
  const owner = ownerOf(ctx)
  const filter = normalizeFilter(query)
  const { search, country, channel, assignment, hasOpen } = filter
  const listing = ['ownContacts', ctx.workspaceId, owner, search, country, channel, assignment, hasOpen]
  const after = query.cursor === undefined ? undefined : decodeCursor(listing, query.cursor).id
  const { rows } = await sql<{ id: string; json: ContactRow }>`
    select c.id, ${rowJson(owner)} as json
    from (${met(ctx, owner)}) o join contacts c on c.workspace_id = ${ctx.workspaceId} and c.id = o.contact_id
    where ${conditionsOf(filter)} and ${after === undefined ? sql`true` : sql`c.id < ${after}`}
    order by c.id desc limit ${limit + 1}`.execute(ctx.db)
  const shown = rows.slice(0, limit)
  const nextCursor = rows.length > limit ? encodeCursor(listing, { at: null, id: shown.at(-1)!.id }) : null
  return JSON.stringify({ contacts: shown.map(({ json }) => json), nextCursor })
}

/** A page of the contacts of the actor's own conversations, as JSON text. */
export const listOwnContacts = (ctx: Ctx, query: ContactsQuery): Promise<string> =>
  query.sort === 'created' ? listByCreation(ctx, query) : listByActivity(ctx, query)

/** The profile with the notes and runs of the actor's own conversations. Throws CONTACT_NOT_FOUND. */
export const getOwnContactProfile = async (ctx: Ctx, id: string): Promise<ContactProfile> => {
  const { workspaceId } = ctx
  const owner = ownerOf(ctx)
  const isOwn = (
    alias: string,
  ) => sql`exists (select from conversations v where v.workspace_id = ${workspaceId}
    and v.id = ${sql.ref(`${alias}.conversation_id`)} and v.agent_id = ${owner})`
  const { rows } = await sql<ContactProfile>`
    select
      json_build_object(
        'id', c.id, 'name', c.name, 'email', c.email, 'phone', c.phone, 'countryIso', c.country_iso,
        'avatarUrl', c.avatar_url, 'channels', o.channels, 'conversationCount', o.conversation_count,
        'openCount', o.open_count, 'firstContactAt', ${iso('c.created_at')}, 'customFields', c.custom_fields
      ) as contact,
      (select coalesce(json_agg(r), '[]') from (
        select f.id as "runId", f.flow_id as "flowId", f.flow_name as "flowName",
          f.conversation_id as "conversationId", f.status, ${iso('f.started_at')} as "startedAt",
          ${iso('f.completed_at')} as "completedAt"
        from flow_runs f where f.workspace_id = c.workspace_id and f.contact_id = c.id and ${isOwn('f')}
        order by f.started_at desc, f.id desc limit ${FLOWS_SHOWN_MAX}
      ) r) as flows,
      (select coalesce(json_agg(r), '[]') from (
        select n.id, n.body, ${iso('n.created_at')} as "createdAt",
          json_build_object('id', n.author_id, 'nickname', coalesce(a.nickname, 'API')) as agent
        from notes n left join accounts a on a.id = n.author_id
        where n.workspace_id = c.workspace_id and n.contact_id = c.id and ${isOwn('n')}
        order by n.id desc limit ${NOTES_SHOWN_MAX}
      ) r) as notes
    from contacts c join (${met(ctx, owner, id)}) o on o.contact_id = c.id
    where c.workspace_id = ${workspaceId} and c.id = ${id}`.execute(ctx.db)
  if (!rows[0]) throw new ApiError('CONTACT_NOT_FOUND')
  return withAvatarLink(ctx, rows[0])
}
