// One contact: reading its profile, and changing the parts that the workspace may change.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { seesAll } from '../../platform/ctx/permissions.ts'
import type { CustomFields } from '../../platform/db/tables.ts'
import { ApiError } from '../../platform/errors.ts'
import type { Tag } from '../tags/schema.ts'
import { knownTo } from '../visible-conversations.ts'
import { WHOLE_ACTIVITY } from './contact-row.ts'
import { getOwnContactProfile } from './own-contacts-queries.ts'
import { type ProfileRow, profileColumns, withLinks } from './profile-parts.ts'
import type { ContactProfile } from './schema.ts'

/** Throws CONTACT_NOT_FOUND. */
export const getContactProfile = async (ctx: Ctx, id: string): Promise<ContactProfile> => {
  const { db, workspaceId } = ctx
  if (!seesAll(ctx.actor)) return getOwnContactProfile(ctx, id)
  const { rows } = await sql<ProfileRow>`
    select ${profileColumns(WHOLE_ACTIVITY, () => sql`true`)}
    from contacts c
    where c.workspace_id = ${workspaceId} and c.id = ${id}`.execute(db)
  if (!rows[0]) throw new ApiError('CONTACT_NOT_FOUND')
  return withLinks(ctx, rows[0])
}

/** Throws CONTACT_NOT_FOUND, also if the actor may not see it. */
export const requireContact = async ({ db, workspaceId, actor }: Ctx, id: string): Promise<void> => {
  const { rows } = await sql`
    select from contacts c where c.workspace_id = ${workspaceId} and c.id = ${id}${knownTo(actor, 'c')}`.execute(
    db,
  )
  if (rows.length === 0) throw new ApiError('CONTACT_NOT_FOUND')
}

type Naming = {
  name: string
  email: string | null
  phone: string | null
  username: string | null
}

/** The searchable fields of a contact, the row locked until the transaction ends. Throws CONTACT_NOT_FOUND. */
export const lockContact = async ({ db, workspaceId, actor }: Ctx, id: string): Promise<Naming> => {
  const { rows } = await sql<Naming>`
    select c.name, c.email, c.phone, c.username from contacts c
    where c.workspace_id = ${workspaceId} and c.id = ${id}${knownTo(actor, 'c')}
    for no key update`.execute(db)
  if (!rows[0]) throw new ApiError('CONTACT_NOT_FOUND')
  return rows[0]
}

type Change = {
  name: string
  searchText: string
  customFields: { set: CustomFields; removed: string[] }
}

/** Renames and merges custom fields in one statement; returns how many the contact then has, and what they were. */
export const updateContactRow = async (
  { db, workspaceId }: Ctx,
  id: string,
  { name, searchText, customFields }: Change,
): Promise<{ count: number; before: CustomFields }> => {
  const { rows } = await sql<{ count: number; before: CustomFields }>`
    with old as materialized (
      select custom_fields from contacts where workspace_id = ${workspaceId} and id = ${id}
    )
    update contacts set name = ${name}, search_text = ${searchText},
      custom_fields = (custom_fields || ${JSON.stringify(customFields.set)}::jsonb) - ${customFields.removed}::text[]
    where workspace_id = ${workspaceId} and id = ${id}
    returning (select count(*) from jsonb_object_keys(custom_fields)) as count,
      (select custom_fields from old) as before`.execute(db)
  return rows[0]!
}

/** The workspace's tags among the ids, by name; they cannot be deleted until the transaction ends. */
export const lockTags = async ({ db, workspaceId }: Ctx, ids: string[]): Promise<Tag[]> => {
  const { rows } = await sql<Tag>`
    select id, name, color from tags
    where workspace_id = ${workspaceId} and id = any(${ids}::text[])
    order by name_key
    for key share`.execute(db)
  return rows
}

/** By name. */
export const listContactTags = async ({ db, workspaceId }: Ctx, contactId: string): Promise<Tag[]> => {
  const { rows } = await sql<Tag>`
    select t.id, t.name, t.color
    from contact_tags c join tags t on t.workspace_id = c.workspace_id and t.id = c.tag_id
    where c.workspace_id = ${workspaceId} and c.contact_id = ${contactId}
    order by t.name_key`.execute(db)
  return rows
}

/** Adds tags to a contact and removes others, and returns what changed. The caller holds the contact's row lock. */
export const setContactTags = async (
  { db, workspaceId }: Ctx,
  contactId: string,
  { add, remove }: { add: readonly string[]; remove: readonly string[] | 'others' },
): Promise<{ added: string[]; removed: string[] }> => {
  const { rows } = await sql<{ added: string[]; removed: string[] }>`
    with removed as (
      delete from contact_tags
      where workspace_id = ${workspaceId} and contact_id = ${contactId} and ${
        remove === 'others' ? sql`tag_id <> all(${add}::text[])` : sql`tag_id = any(${remove}::text[])`
      }
      returning tag_id
    ), added as (
      insert into contact_tags (workspace_id, contact_id, tag_id)
      select ${workspaceId}, ${contactId}, unnest(${add}::text[])
      on conflict do nothing
      returning tag_id
    )
    select array(select tag_id::text from added order by tag_id) as added,
      array(select tag_id::text from removed order by tag_id) as removed`.execute(db)
  return rows[0]!
}
