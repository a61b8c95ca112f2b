// One contact: reading the profile, changing what the workspace may change about it.
import { sql } from 'kysely'
import type { Ctx } from '../../ctx.ts'
import type { CustomFields } from '../../db/tables.ts'
import { ApiError } from '../../errors.ts'
import { metBy } from '../roles/own-conversations.ts'
import { confinedTo } from '../roles/permissions.ts'
import type { Tag } from '../tags/schema.ts'
import { getOwnContactProfile } from './own-contacts-queries.ts'
import { FLOWS_SHOWN_MAX, iso, NOTES_SHOWN_MAX, withAvatarLink } from './profile-parts.ts'
import type { ContactProfile } from './schema.ts'

/** Throws CONTACT_NOT_FOUND. */
export const getContactProfile = async (ctx: Ctx, id: string): Promise<ContactProfile> => {
  const { db, workspaceId } = ctx
  if (confinedTo(ctx.actor) !== null) return getOwnContactProfile(ctx, id)
  const { rows } = await sql<ContactProfile>`
    select
      json_build_object(
        'id', c.id, 'name', c.name, 'email', c.email, 'phone', c.phone, 'countryIso', c.country_iso,
        'avatarUrl', c.avatar_url, 'channels', c.channels, 'conversationCount', c.conversation_count,
        'openCount', c.open_count, 'firstContactAt', ${iso('c.created_at')}, 'customFields', c.custom_fields
      ) as contact,
      (select coalesce(json_agg(r), '[]') from (
        select f.id as "runId", f.flow_id as "flowId", f.flow_name as "flowName",
          f.conversation_id as "conversationId", f.status, ${iso('f.started_at')} as "startedAt",
          ${iso('f.completed_at')} as "completedAt"
        from flow_runs f where f.workspace_id = c.workspace_id and f.contact_id = c.id
        order by f.started_at desc, f.id desc limit ${FLOWS_SHOWN_MAX}
      ) r) as flows,
      (select coalesce(json_agg(r), '[]') from (
        select n.id, n.body, ${iso('n.created_at')} as "createdAt",
          json_build_object('id', n.author_id, 'nickname', coalesce(a.nickname, 'API')) as agent
        from notes n left join accounts a on a.id = n.author_id
        where n.workspace_id = c.workspace_id and n.contact_id = c.id
        order by n.id desc limit ${NOTES_SHOWN_MAX}
      ) r) as notes
    from contacts c
    where c.workspace_id = ${workspaceId} and c.id = ${id}`.execute(db)
  if (!rows[0]) throw new ApiError('CONTACT_NOT_FOUND')
  return withAvatarLink(ctx, rows[0])
}

type Naming = {
  name: string
  email: string | null
  phone: string | null
  username: string | null
}

/** What a contact is found by, the row locked until the transaction ends. Throws CONTACT_NOT_FOUND. */
export const lockContact = async ({ db, workspaceId, actor }: Ctx, id: string): Promise<Naming> => {
  const { rows } = await sql<Naming>`
    select c.name, c.email, c.phone, c.username from contacts c
    where c.workspace_id = ${workspaceId} and c.id = ${id}${metBy(actor, 'c')}
    for no key update`.execute(db)
  if (!rows[0]) throw new ApiError('CONTACT_NOT_FOUND')
  return rows[0]
}

type Change = {
  name: string
  searchText: string
  customFields: { set: CustomFields; removed: string[] }
}

/** Renames and merges in one statement; returns how many custom fields the contact has then. */
export const updateContactRow = async (
  { db, workspaceId }: Ctx,
  id: string,
  { name, searchText, customFields }: Change,
): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    update contacts set name = ${name}, search_text = ${searchText},
      custom_fields = (custom_fields || ${JSON.stringify(customFields.set)}::jsonb) - ${customFields.removed}::text[]
    where workspace_id = ${workspaceId} and id = ${id}
    returning (select count(*) from jsonb_object_keys(custom_fields)) as count`.execute(db)
  return rows[0]!.count
}

/** The workspace's tags among the ids, by name; they cannot be removed until the transaction ends. */
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

/** Makes the contact's tags exactly these. The caller holds the contact's row lock. */
export const setContactTags = async (
  { db, workspaceId }: Ctx,
  contactId: string,
  tagIds: string[],
): Promise<void> => {
  await sql`
    with removed as (
      delete from contact_tags
      where workspace_id = ${workspaceId} and contact_id = ${contactId} and tag_id <> all(${tagIds}::text[])
    )
    insert into contact_tags (workspace_id, contact_id, tag_id)
    select ${workspaceId}, ${contactId}, unnest(${tagIds}::text[])
    on conflict do nothing`.execute(db)
}
