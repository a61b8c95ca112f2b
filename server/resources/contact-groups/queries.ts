// All SQL of contact groups, but for what the console lists and adds by the thousand (member-queries.ts).
import { sql } from 'kysely'
import type { Ctx } from '../../ctx.ts'
import type { ContactGroup } from './schema.ts'

/** Groups by name with their members by name, as the inside of a JSON array; of all groups, or of one. */
const groupsJson = async ({ db, workspaceId }: Ctx, id?: string): Promise<string> => {
  const { rows } = await sql<{ json: string }>`
    select coalesce(string_agg(row_to_json(r)::text, ','), '') as json from (
      select g.id, g.name, g.description, m."memberCount", m."whatsappCount", m.members,
        to_char(g.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "createdAt",
        to_char(g.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "updatedAt"
      from contact_groups g
      cross join lateral (
        select count(*) as "memberCount", count(*) filter (where t."hasWhatsapp") as "whatsappCount",
          coalesce(json_agg(t), '[]') as members
        from (
          select c.id, c.name, c.email, c.phone, 'whatsapp' = any (c.channels) as "hasWhatsapp", c.channels
          from contact_group_members gm
          join contacts c on c.workspace_id = gm.workspace_id and c.id = gm.contact_id
          where gm.workspace_id = g.workspace_id and gm.group_id = g.id
          order by c.name, c.id
        ) t
      ) m
      where g.workspace_id = ${workspaceId} and ${id === undefined ? sql`true` : sql`g.id = ${id}`}
      order by g.name, g.id
    ) r`.execute(db)
  return rows[0]!.json
}

/** The answer to GET /contact-groups, as JSON text: one statement, however many groups and members there are. */
export const listContactGroups = async (ctx: Ctx): Promise<string> => `{"groups":[${await groupsJson(ctx)}]}`

export const getContactGroup = async (ctx: Ctx, id: string): Promise<ContactGroup> =>
  JSON.parse(await groupsJson(ctx, id)) as ContactGroup

export const insertContactGroup = async (
  { db, workspaceId, now }: Ctx,
  { id, name, description }: { id: string; name: string; description: string },
): Promise<void> => {
  await db
    .insertInto('contact_groups')
    .values({ workspace_id: workspaceId, id, name, description, created_at: now(), updated_at: now() })
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

/** Whether there is the group; it is there until the transaction ends, and its members change one call at a time. */
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

/** Its members leave it by the foreign key. False when there is no such group. */
export const deleteContactGroupRow = async ({ db, workspaceId }: Ctx, id: string): Promise<boolean> => {
  const { numDeletedRows } = await db
    .deleteFrom('contact_groups')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Adds those of the contacts that the workspace has, and returns their ids. */
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

/** The groups of one contact become another's too; the first contact is about to go. */
export const moveMemberships = async ({ db, workspaceId }: Ctx, from: string, to: string): Promise<void> => {
  await sql`
    insert into contact_group_members (workspace_id, group_id, contact_id, added_at)
    select workspace_id, group_id, ${to}, added_at from contact_group_members
    where workspace_id = ${workspaceId} and contact_id = ${from}
    on conflict do nothing`.execute(db)
}
