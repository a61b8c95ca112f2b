// The SQL of very large groups: counts without the members, pages of members, and bulk additions, each in a fixed
// number of statements. Measured with 100,000 members among 200,000 contacts.
import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { decodeCursor, encodeCursor, PAGE_DEFAULT } from '../../platform/db/pagination.ts'
import type { People } from '../contacts/audience-filter.ts'
import { EMAIL_VERIFIED } from '../contacts/contact-row.ts'
import { allConditions, fenced, searchHits, searchTermOf, whereAll } from '../contacts/directory-filter.ts'
import type { Identity } from '../contacts/people-queries.ts'
import type { GroupMembers, GroupMembersQuery, GroupSummary } from './schema.ts'

/** Up to this many search hits are looked up among the members; beyond it, the members are scanned instead. */
const LOOKED_UP_MAX = 10_000

/** Groups by name with their member counts; or only the one with that id. */
export const listGroupSummaries = async (
  { db, workspaceId }: Pick<Ctx, 'db' | 'workspaceId'>,
  id?: string,
): Promise<GroupSummary[]> => {
  // Two separate conditions rather than one optional one: the plan for a single group must not read all members.
  const members = id === undefined ? sql`true` : sql`gm.group_id = ${id}`
  const groups = id === undefined ? sql`true` : sql`g.id = ${id}`
  const { rows } = await sql<GroupSummary>`
    select g.id, g.name, g.description, coalesce(m.members, 0) as "memberCount",
      coalesce(m.reachable, 0) as "whatsappCount", g.updated_at as "updatedAt"
    from contact_groups g
    left join (
      select gm.group_id, count(*) as members, count(c.id) as reachable
      from contact_group_members gm
      left join contacts c on c.workspace_id = ${workspaceId} and c.id = gm.contact_id
        and 'whatsapp' = any (c.channels)
      where gm.workspace_id = ${workspaceId} and ${members}
      group by gm.group_id
    ) m on m.group_id = g.id
    where g.workspace_id = ${workspaceId} and ${groups}
    order by g.name, g.id`.execute(db)
  return rows
}

/**
 * The ids of the members that a search finds. A few hits are looked up among the members one by one. Beyond that, all
 * contacts and all members are read once and joined, which is faster than that many lookups (for a term that nearly all
 * of 200,000 have: 0.6 s instead of 1.2 on a busy machine); only the chosen branch runs.
 */
const foundMembers = (workspaceId: string, groupId: string, search: string): RawBuilder<unknown> => {
  const conditions = whereAll(workspaceId, fenced(allConditions({ search })))
  return sql`
    hit as materialized (
      select h.id from (${searchHits(workspaceId, searchTermOf(search))}) h limit ${sql.lit(LOOKED_UP_MAX + 1)}
    ), few as materialized (
      select count(*) <= ${sql.lit(LOOKED_UP_MAX)} as yes from hit
    ), matching as materialized (
      select c.id from contacts c where not (select yes from few) and ${conditions}
    ), listed as materialized (
      select gm.contact_id from contact_group_members gm
      where not (select yes from few) and gm.workspace_id = ${workspaceId} and gm.group_id = ${groupId}
    ), member as materialized (
      select gm.contact_id from hit h cross join lateral (
        select gm.contact_id from contact_group_members gm
        where gm.workspace_id = ${workspaceId} and gm.group_id = ${groupId} and gm.contact_id = h.id offset 0
      ) gm where (select yes from few)
      union all
      select l.contact_id from listed l join matching m on m.id = l.contact_id
    )`
}

/** A page of members, newest contacts first. Undefined if there is no such group. */
export const listGroupMembers = async (
  { db, workspaceId }: Ctx,
  groupId: string,
  { search: given, cursor, limit = PAGE_DEFAULT }: GroupMembersQuery,
): Promise<GroupMembers | undefined> => {
  const search = given?.trim() || undefined
  const listing = ['group members', workspaceId, groupId, search]
  const after = cursor === undefined ? undefined : decodeCursor(listing, cursor).id
  const isAfter = after === undefined ? sql`true` : sql`gm.contact_id < ${after}`
  const inGroup = sql`gm.workspace_id = ${workspaceId} and gm.group_id = ${groupId}`
  const members = search
    ? sql`member gm where ${isAfter}`
    : sql`contact_group_members gm where ${inGroup} and ${isAfter}`
  const total = search
    ? sql`(select count(*) from member)`
    : sql`(select count(*) from contact_group_members gm where ${inGroup})`
  const { rows } = await sql<{ total: number; members: GroupMembers['members'] }>`
    with ${search ? foundMembers(workspaceId, groupId, search) : sql`nothing as (select)`}
    select ${total} as total, (
      select coalesce(json_agg(r), '[]') from (
        select c.id, c.name, c.email, ${EMAIL_VERIFIED} as "emailVerified", c.phone, 'whatsapp' = any (c.channels) as "hasWhatsapp", c.channels
        from (select gm.contact_id from ${members} order by gm.contact_id desc limit ${limit + 1}) k
        cross join lateral (
          select * from contacts c where c.workspace_id = ${workspaceId} and c.id = k.contact_id offset 0
        ) c
        order by c.id desc
      ) r
    ) as members
    from contact_groups g where g.workspace_id = ${workspaceId} and g.id = ${groupId}`.execute(db)
  const [found] = rows
  if (!found) return undefined
  const shown = found.members.slice(0, limit)
  const isMore = found.members.length > limit
  return {
    members: shown,
    nextCursor: isMore ? encodeCursor(listing, { at: null, id: shown.at(-1)!.id }) : null,
    total: found.total,
  }
}

type Added = { added: number; matched: number }

/** `rows` yields ids (as id) of the workspace's contacts, each once. The caller holds the group's lock. */
const insertFrom = async (
  { db, workspaceId, now }: Ctx,
  groupId: string,
  rows: RawBuilder<unknown>,
): Promise<Added> => {
  const { rows: counted } = await sql<Added>`
    with input as materialized (${rows}), added as (
      insert into contact_group_members (workspace_id, group_id, contact_id, added_at)
      select ${workspaceId}, ${groupId}, i.id, ${now()}::timestamptz from input i order by i.id
      on conflict do nothing
      returning contact_id
    )
    select (select count(*) from added) as added, (select count(*) from input) as matched`.execute(db)
  return counted[0]!
}

/** Adds the people that an audience's statement yields, at most `limit`. */
export const insertPeopleOf = (ctx: Ctx, groupId: string, people: People, limit: number): Promise<Added> =>
  insertFrom(ctx, groupId, sql`select p.contact_id as id from (${people}) p limit ${limit}`)

/** Adds those of the ids that are contacts. */
export const insertMembersById = (ctx: Ctx, groupId: string, contactIds: readonly string[]): Promise<Added> =>
  insertFrom(
    ctx,
    groupId,
    sql`select c.id from contacts c
      where c.workspace_id = ${ctx.workspaceId} and c.id = any(${contactIds}::text[])`,
  )

/** Which of the ids are contacts of the workspace. */
export const listContactIds = async (
  { db, workspaceId }: Ctx,
  contactIds: readonly string[],
): Promise<Set<string>> => {
  const { rows } = await sql<{ id: string }>`
    select id from contacts where workspace_id = ${workspaceId} and id = any(${contactIds}::text[])`.execute(
    db,
  )
  return new Set(rows.map(({ id }) => id))
}

/** The contact of each line, by the first of its identities that someone holds. */
export const findContactsOfLines = async (
  { db, workspaceId }: Ctx,
  names: readonly (Identity & { line: number })[],
): Promise<Map<number, string>> => {
  const { rows } = await sql<{ line: number; id: string }>`
    select distinct on (q.line) q.line, i.contact_id as id
    from rows from (
      jsonb_to_recordset(${JSON.stringify(names)}::jsonb) as (line integer, kind text, value text)
    ) with ordinality q (line, kind, value, place)
    join identities i on i.workspace_id = ${workspaceId} and i.kind = q.kind and i.value = q.value
    order by q.line, q.place`.execute(db)
  return new Map(rows.map(({ line, id }) => [line, id]))
}

export const countMembers = async ({ db, workspaceId }: Ctx, groupId: string): Promise<number> => {
  const { count } = await db
    .selectFrom('contact_group_members')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('workspace_id', '=', workspaceId)
    .where('group_id', '=', groupId)
    .executeTakeFirstOrThrow()
  return count
}

/** Returns how many of the contacts were members. */
export const deleteMembers = async (
  { db, workspaceId }: Ctx,
  groupId: string,
  contactIds: readonly string[],
): Promise<number> => {
  const { numAffectedRows } = await sql`
    delete from contact_group_members
    where workspace_id = ${workspaceId} and group_id = ${groupId} and contact_id = any(${contactIds}::text[])`.execute(
    db,
  )
  return Number(numAffectedRows ?? 0)
}
