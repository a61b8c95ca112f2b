// All SQL of contact groups, except the console's lists and bulk additions (member-queries.ts).
import { expressionBuilder, sql } from 'kysely'
import type { Actor } from '../../platform/ctx/actor.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { sightOf } from '../../platform/ctx/permissions.ts'
import { arrayOf, decode, type JsonItems, type JsonText, objectOf } from '../../platform/db/json-text.ts'
import { rowsOf } from '../../platform/db/rows-of.ts'
import { momentText, type RowOf, selected } from '../../platform/db/select-list.ts'
import type { ChannelName, Tables } from '../../platform/db/tables.ts'
import type { ContactGroup, ContactGroupList } from './schema.ts'

const group = expressionBuilder<{ g: Tables['contact_groups'] }, 'g'>()
const contact = expressionBuilder<{ c: Tables['contacts'] }, 'c'>()

const MEMBER = {
  id: contact.ref('c.id'),
  name: contact.ref('c.name'),
  email: contact.ref('c.email'),
  phone: contact.ref('c.phone'),
  hasWhatsapp: sql<boolean>`'whatsapp' = any (s.channels)`,
  channels: sql<ChannelName[]>`s.channels`,
}

/**
 * The channels that a member is shown with. A token limited to channels sees no others, and no members without one;
 * people who manage groups see all members.
 */
const shownChannels = (actor: Actor) => {
  const { channels } = sightOf(actor)
  if (channels === null) return sql`cross join lateral (select c.channels) s`
  return sql`cross join lateral (
    select array_agg(one) as channels from unnest(c.channels) one where one = any (${channels}::text[])
    having count(*) > 0) s`
}

const GROUP = {
  id: group.ref('g.id'),
  name: group.ref('g.name'),
  description: group.ref('g.description'),
  memberCount: sql<number>`m."memberCount"`,
  whatsappCount: sql<number>`m."whatsappCount"`,
  members: sql<RowOf<typeof MEMBER>[]>`m.members`,
  createdAt: momentText(group.ref('g.created_at')),
  updatedAt: momentText(group.ref('g.updated_at')),
}

/** Groups by name with their members by name; of all groups, or of one. */
const groupItems = async ({ db, workspaceId, actor }: Ctx, id?: string): Promise<JsonItems<ContactGroup>> => {
  const { rows } = await sql<{ items: JsonItems<RowOf<typeof GROUP>> }>`
    select coalesce(string_agg(row_to_json(r)::text, ','), '') as items from (
      select ${selected(GROUP)}
      from contact_groups g
      cross join lateral (
        select count(*) as "memberCount", count(*) filter (where t."hasWhatsapp") as "whatsappCount",
          coalesce(json_agg(t), '[]') as members
        from (
          select ${selected(MEMBER)}
          from contact_group_members gm
          join contacts c on c.workspace_id = gm.workspace_id and c.id = gm.contact_id
          ${shownChannels(actor)}
          where gm.workspace_id = g.workspace_id and gm.group_id = g.id
          order by c.name, c.id
        ) t
      ) m
      where g.workspace_id = ${workspaceId} and ${id === undefined ? sql`true` : sql`g.id = ${id}`}
      order by g.name, g.id
    ) r`.execute(db)
  return rows[0]!.items
}

/** The response to GET /contact-groups: one statement, however many groups and members there are. */
export const listContactGroups = async (ctx: Ctx): Promise<JsonText<ContactGroupList>> =>
  objectOf({ groups: arrayOf(await groupItems(ctx)) })

export const getContactGroup = async (ctx: Ctx, id: string): Promise<ContactGroup> =>
  decode(arrayOf(await groupItems(ctx, id)))[0]!

export const insertContactGroup = async (
  { db, workspaceId, now }: Ctx,
  { id, name, description }: { id: string; name: string; description: string },
): Promise<void> => {
  const at = now()
  await db
    .insertInto('contact_groups')
    .values({ workspace_id: workspaceId, id, name, description, created_at: at, updated_at: at })
    .execute()
}

export const countContactGroups = async ({ db, workspaceId }: Ctx): Promise<number> => {
  const { count } = await db
    .selectFrom('contact_groups')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return count
}

/** Whether the group exists. Locks it until the transaction ends, so that member changes run one at a time. */
export const lockContactGroup = async ({ db, workspaceId }: Ctx, id: string): Promise<boolean> =>
  (await db
    .selectFrom('contact_groups')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()) !== undefined

export const updateContactGroupRow = async (
  { db, workspaceId, now }: Ctx,
  id: string,
  change: { name?: string; description?: string },
): Promise<void> => {
  await db
    .updateTable('contact_groups')
    .set({ ...change, updated_at: now() })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

/** The foreign key removes its members. False if there is no such group. */
export const deleteContactGroupRow = async ({ db, workspaceId }: Ctx, id: string): Promise<boolean> => {
  const { numDeletedRows } = await db
    .deleteFrom('contact_groups')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Adds those of the contacts that exist in the workspace, and returns their ids. */
export const insertMembers = async (
  { db, workspaceId, now }: Ctx,
  groupId: string,
  contactIds: string[],
): Promise<Set<string>> => {
  const { rows } = await sql<{ id: string }>`
    insert into contact_group_members (workspace_id, group_id, contact_id, added_at)
    select c.workspace_id, ${groupId}, c.id, ${now()}::timestamptz
    from contacts c where c.workspace_id = ${workspaceId} and c.id = any(${contactIds}::text[])
    returning contact_id as id`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/** Moves one contact's group memberships to another; the first contact is about to be deleted. */
export const moveMemberships = async ({ db, workspaceId }: Ctx, from: string, to: string): Promise<void> => {
  await sql`
    insert into contact_group_members (workspace_id, group_id, contact_id, added_at)
    select workspace_id, group_id, ${to}, added_at from contact_group_members
    where workspace_id = ${workspaceId} and contact_id = ${from}
    on conflict do nothing`.execute(db)
}

/** The contact is in these groups again, and the other no longer in those that it was only in for it. */
export const returnMemberships = async (
  { db, workspaceId }: Ctx,
  { from, to, memberships }: { from: string; to: string; memberships: readonly Membership[] },
): Promise<void> => {
  const added = memberships.filter(({ isAdded }) => isAdded).map(({ groupId }) => groupId)
  await sql`
    with gone as (
      delete from contact_group_members
      where workspace_id = ${workspaceId} and contact_id = ${from} and group_id = any(${added}::text[])
    )
    insert into contact_group_members (workspace_id, group_id, contact_id, added_at)
    select ${workspaceId}, m."groupId", ${to}, m."addedAt" from ${rowsOf(memberships)} as m ("groupId" text, "addedAt" timestamptz)
    join contact_groups g on g.workspace_id = ${workspaceId} and g.id = m."groupId"`.execute(db)
}

export type Membership = { groupId: string; addedAt: string; isAdded: boolean }
