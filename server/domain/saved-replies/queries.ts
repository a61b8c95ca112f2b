// All SQL of saved replies.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { CustomFields } from '../../platform/db/tables.ts'
import type { ChannelEnum } from '../schema.ts'
import { seenBy } from '../visible-conversations.ts'
import type { FolderChange, NewSavedReply, SavedReply } from './schema.ts'

/** The team's and those of the person, by name. */
export const listSavedReplies = ({ db, workspaceId }: Ctx, accountId: string | null): Promise<SavedReply[]> =>
  db
    .selectFrom('saved_replies')
    .select((eb) => [
      'id',
      eb('owner_id', 'is', null).as('isShared'),
      'name',
      'shortcut',
      'folder',
      'body',
      'channels',
      'tag_ids as tagIds',
      'assignee_id as assigneeId',
      'closes',
      'use_count as useCount',
      'last_used_at as lastUsedAt',
    ])
    .$narrowType<{ isShared: boolean }>()
    .where('workspace_id', '=', workspaceId)
    .where((eb) => eb.or([eb('owner_id', 'is', null), eb('owner_id', '=', accountId)]))
    .orderBy(sql`lower(name)`)
    .orderBy('id')
    .execute()

export type Owned = { id: string; ownerId: string | null }

/** How many others the owner has, and what the reply names that the workspace has not. */
export const findProblems = async (
  { db, workspaceId }: Ctx,
  { id, ownerId }: Owned,
  { tagIds, assigneeId }: Pick<NewSavedReply, 'tagIds' | 'assigneeId'>,
): Promise<{ others: number; unknownTags: string[]; isAssignable: boolean }> => {
  const { rows } = await sql<{ others: number; unknownTags: string[]; isAssignable: boolean }>`select
    (select count(*)::integer from saved_replies r where r.workspace_id = ${workspaceId}
      and r.owner_id is not distinct from ${ownerId} and r.id <> ${id}) as others,
    array(select q.id from unnest(${tagIds}::text[]) q (id)
      where not exists (select from tags t where t.workspace_id = ${workspaceId} and t.id = q.id)) as "unknownTags",
    exists (select from memberships p where p.workspace_id = ${workspaceId} and p.account_id = ${assigneeId}
      and p.removed_at is null) as "isAssignable"`.execute(db)
  return rows[0]!
}

/** Creates or replaces it. Undefined if the id is that of another owner's. */
export const saveRow = (
  { db, workspaceId, now }: Ctx,
  { id, ownerId }: Owned,
  given: NewSavedReply,
): Promise<{ id: string } | undefined> => {
  const columns = {
    name: given.name,
    shortcut: given.shortcut,
    folder: given.folder,
    body: given.body,
    channels: given.channels as ChannelEnum[],
    tag_ids: given.tagIds,
    assignee_id: given.assigneeId,
    closes: given.closes,
    updated_at: now(),
  }
  return db
    .insertInto('saved_replies')
    .values({ workspace_id: workspaceId, id, owner_id: ownerId, ...columns, created_at: now() })
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'id'])
        .doUpdateSet(columns)
        .where('saved_replies.owner_id', 'is not distinct from', ownerId),
    )
    .returning('id')
    .executeTakeFirst()
}

/** Puts all replies of a folder of one owner into another one, which may be there already. */
export const moveFolder = async (
  { db, workspaceId, now }: Ctx,
  ownerId: string | null,
  { from, to }: FolderChange,
): Promise<void> => {
  await db
    .updateTable('saved_replies')
    .set({ folder: to, updated_at: now() })
    .where('workspace_id', '=', workspaceId)
    .where('owner_id', 'is not distinct from', ownerId)
    .where('folder', '=', from)
    .execute()
}

export const isShortcutTaken = (error: unknown): boolean => {
  const { code, constraint } = error as { code?: string; constraint?: string }
  return code === '23505' && constraint === 'saved_replies_shortcut'
}

export const deleteRow = async ({ db, workspaceId }: Ctx, { id, ownerId }: Owned): Promise<void> => {
  await db
    .deleteFrom('saved_replies')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('owner_id', 'is not distinct from', ownerId)
    .execute()
}

/** Whom a reply speaks to, and for whom. */
export type Partners = {
  subject: string | null
  channel: ChannelEnum
  name: string
  email: string | null
  phone: string | null
  customFields: CustomFields
  workspaceName: string
  nickname: string | null
}

/** Undefined if the actor sees no such conversation. */
export const findPartners = async (
  { db, workspaceId, actor }: Ctx,
  conversationId: string,
  accountId: string | null,
): Promise<Partners | undefined> => {
  const { rows } = await sql<Partners>`select c.subject, c.channel, k.name, k.email, k.phone,
      k.custom_fields as "customFields", w.name as "workspaceName",
      (select a.nickname from accounts a where a.id = ${accountId}) as nickname
    from conversations c
    join contacts k on k.workspace_id = c.workspace_id and k.id = c.contact_id
    join workspaces w on w.id = c.workspace_id
    where c.workspace_id = ${workspaceId} and c.id = ${conversationId}${seenBy(actor, 'c')}`.execute(db)
  return rows[0]
}

/** For an email to somebody who isn't chosen yet. */
export const findOwnPartners = async (
  { db, workspaceId }: Ctx,
  accountId: string | null,
): Promise<Partners> => {
  const { rows } = await sql<Pick<Partners, 'workspaceName' | 'nickname'>>`
    select w.name as "workspaceName", (select a.nickname from accounts a where a.id = ${accountId}) as nickname
    from workspaces w where w.id = ${workspaceId}`.execute(db)
  const nobody = { name: '', email: null, phone: null, customFields: {}, subject: null }
  return { ...nobody, channel: 'email', ...rows[0]! }
}

export type Used = Pick<SavedReply, 'body' | 'closes'> & {
  tags: { id: string; name: string }[]
  assignee: { id: string; nickname: string } | null
}

/** Counts one use of the reply, and returns it with those of its tags and its agent that still exist. */
export const countUse = async (
  { db, workspaceId, now }: Ctx,
  replyId: string,
  accountId: string | null,
): Promise<Used | undefined> => {
  const { rows } = await sql<Used>`
    update saved_replies r set use_count = use_count + 1, last_used_at = ${now()}
    where r.workspace_id = ${workspaceId} and r.id = ${replyId}
      and (r.owner_id is null or r.owner_id = ${accountId})
    returning r.body, r.closes,
      coalesce((select json_agg(json_build_object('id', t.id, 'name', t.name) order by t.name_key) from tags t
        where t.workspace_id = r.workspace_id and t.id = any (r.tag_ids)), '[]'::json) as tags,
      (select json_build_object('id', a.id, 'nickname', a.nickname)
        from memberships p join accounts a on a.id = p.account_id
        where p.workspace_id = r.workspace_id and p.removed_at is null
          and p.account_id = case r.assignee_id when 'me' then ${accountId} else r.assignee_id end) as assignee`.execute(
    db,
  )
  return rows[0]
}
