// The SQL of attachments: what a file is, which message it belongs to and where its content is. Uploads and pending
// files have their own query files.
import { type RawBuilder, sql } from 'kysely'
import { actorId } from '../../platform/ctx/actor.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { isAtWork } from '../../platform/db/closed-workspaces.ts'
import type { Db } from '../../platform/db/pool.ts'
import type { Tables } from '../../platform/db/tables.ts'
import { seenBy } from '../visible-conversations.ts'
import type { Attachment } from './schema.ts'

type AttachmentType = Tables['attachments']['type']
export type FileType = Exclude<AttachmentType, 'location' | 'contacts'>

/**
 * An attachment of an inbound message. `pending`: the provider has the file, `source` is what its channel's fetchMedia
 * needs. `inline`: `source` is the content itself.
 */
export type NewAttachment = {
  type: AttachmentType
  name: string
  mimeType: string
  size: number
  state: 'pending' | 'inline'
  source: Record<string, unknown>
}

export type AttachmentRow = NewAttachment & { id: string; messageId: string }

/** Stores attachments of stored messages. */
export const attachmentsInsert = (
  { workspaceId }: Pick<Ctx, 'workspaceId'>,
  rows: readonly AttachmentRow[],
  at: Date,
): RawBuilder<unknown> => sql`
  insert into attachments (workspace_id, id, message_id, type, name, mime_type, size, state, source, not_before,
    channel_account_id, created_at)
  select ${workspaceId}, id, "messageId", type, name, "mimeType", size, state, source,
    case state when 'pending' then ${at}::timestamptz end,
    case state when 'pending' then (select m.channel_account_id from messages m
      where m.workspace_id = ${workspaceId} and m.id = "messageId") end, ${at}
  from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as a (
    id text, "messageId" text, type text, name text, "mimeType" text, size bigint, state text, source jsonb)`

/** Attaches files of other messages to stored messages as well; each has a row of its own, and one content. */
export const copyToMessages = async (
  { db, workspaceId, now }: Ctx,
  copies: readonly { fromId: string; id: string; messageId: string }[],
): Promise<void> => {
  if (copies.length === 0) return
  await sql`
    insert into attachments (workspace_id, id, message_id, type, name, mime_type, size, storage_key, state, content_hash,
      created_at)
    select ${workspaceId}, c.id, c."messageId", a.type, a.name, a.mime_type, a.size, a.storage_key, a.state,
      a.content_hash, ${now()}
    from jsonb_to_recordset(${JSON.stringify(copies)}::jsonb) as c (id text, "fromId" text, "messageId" text)
    join attachments a on a.workspace_id = ${workspaceId} and a.id = c."fromId" and a.state = 'stored'`.execute(
    db,
  )
}

// Reading ---------------------------------------------------------------------------------------------------------

/** Those of the ids that are attachments of the conversation's messages. */
export const listOfConversation = async (
  { db, workspaceId }: Ctx,
  { conversationId, ids }: { conversationId: string; ids: readonly string[] },
): Promise<string[]> => {
  const rows = await db
    .selectFrom('attachments as f')
    .innerJoin('messages as m', (join) =>
      join.onRef('m.workspace_id', '=', 'f.workspace_id').onRef('m.id', '=', 'f.message_id'),
    )
    .select('f.id')
    .where('f.workspace_id', '=', workspaceId)
    .where('f.id', 'in', ids.length > 0 ? ids : [''])
    .where('m.conversation_id', '=', conversationId)
    .execute()
  return rows.map(({ id }) => id)
}

/** A file of a conversation that the actor sees, or one that they uploaded and no message or note uses yet. */
export const findAttachment = async (
  { db, workspaceId, actor }: Ctx,
  id: string,
): Promise<Omit<Attachment, 'url'> | undefined> => {
  const { rows } = await sql<Omit<Attachment, 'url'>>`
    select f.id, f.type, f.name, f.mime_type as "mimeType", f.size from attachments f
    where f.workspace_id = ${workspaceId} and f.id = ${id} and case
      when f.note_id is not null then exists (select from notes n
        join conversations c on c.workspace_id = n.workspace_id and c.id = n.conversation_id
        where n.workspace_id = f.workspace_id and n.id = f.note_id${seenBy(actor, 'c')})
      when f.message_id is null then f.state = 'stored' and f.uploaded_by = ${actorId(actor)}
      else exists (select from messages m
        join conversations c on c.workspace_id = m.workspace_id and c.id = m.conversation_id
        where m.workspace_id = f.workspace_id and m.id = f.message_id${seenBy(actor, 'c')}) end`.execute(db)
  return rows[0]
}

/** How many messages back in a thread to look for a file. */
const REPEATS_WITHIN_MESSAGES = 200

/** Which of the attachments repeat content that the conversation already has: id → the earlier one's id. */
export const findRepeats = async (
  { db, workspaceId }: Ctx,
  { conversationId, ids }: { conversationId: string; ids: readonly string[] },
): Promise<Map<string, string>> => {
  const { rows } = await sql<{ id: string; earlierId: string }>`
    with recent as materialized (
      select id from messages
      where workspace_id = ${workspaceId} and conversation_id = ${conversationId}
      order by id desc limit ${REPEATS_WITHIN_MESSAGES}
    )
    select n.id, min(o.id) as "earlierId"
    from recent r
    join attachments o on o.workspace_id = ${workspaceId} and o.message_id = r.id and o.content_hash is not null
    join attachments n on n.workspace_id = ${workspaceId} and n.id = any (${ids}::text[])
      and n.content_hash = o.content_hash
    group by n.id`.execute(db)
  return new Map(rows.map(({ id, earlierId }) => [id, earlierId]))
}

export type StoredFile = {
  workspaceId: string
  name: string
  mimeType: string
  size: number
  state: 'uploading' | 'stored' | 'pending' | 'inline' | 'failed'
  source: Record<string, unknown> | null
  key: string | null
}

/** The attachment that a signed link names; its id is unique across the platform. */
export const findFile = async (db: Db, id: string): Promise<StoredFile | undefined> =>
  db
    .selectFrom('attachments')
    .select([
      'workspace_id as workspaceId',
      'name',
      'size',
      'state',
      'source',
      'mime_type as mimeType',
      'storage_key as key',
    ])
    .where('id', '=', id)
    .executeTakeFirst()

// Contact avatars -------------------------------------------------------------------------------------------------

/** Makes a stored file the contact's picture; the previous one becomes unbound and is swept. */
export const bindToContact = async (
  { db, workspaceId }: Pick<Ctx, 'db' | 'workspaceId'>,
  contactId: string,
  id: string,
): Promise<void> => {
  await sql`
    update attachments set contact_id = case when id = ${id} then ${contactId} end
    where workspace_id = ${workspaceId} and (id = ${id} and message_id is null and note_id is null or contact_id = ${contactId})`.execute(
    db,
  )
}

/** Moves one contact's files to another, or some of them. */
export const moveToContact = async (
  { db, workspaceId }: Pick<Ctx, 'db' | 'workspaceId'>,
  from: string,
  to: string,
  ids: readonly string[] | null = null,
): Promise<void> => {
  await sql`
    update attachments set contact_id = ${to} where workspace_id = ${workspaceId} and contact_id = ${from}
      and (${ids}::text[] is null or id = any(${ids}::text[]))`.execute(db)
}

// Sweeping --------------------------------------------------------------------------------------------------------

type AttachmentRef = { workspaceId: string; id: string }

/** No knowledge is still to be read from it, and nobody is sending it. */
const isUnused = sql`not exists (
  select from knowledge_sources s where s.workspace_id = a.workspace_id and s.attachment_id = a.id
) and not exists (
  select from held_messages h where h.workspace_id = a.workspace_id and a.id = any(h.attachment_ids)
) and not exists (
  select from broadcasts b where b.workspace_id = a.workspace_id and b.header_attachment_id = a.id
)`

/**
 * Attachments that belong to no message, no note and no contact, created before a time. `key`: of a content that no other
 * row has, unless that is swept too and has the larger id.
 */
export const listUnbound = async (
  db: Db,
  createdBefore: Date,
  limit: number,
): Promise<(AttachmentRef & { key: string | null })[]> => {
  const { rows } = await sql<AttachmentRef & { key: string | null }>`
    select workspace_id as "workspaceId", id, case when not exists (
      select from attachments o where o.workspace_id = a.workspace_id and o.storage_key = a.storage_key and o.id <> a.id
        and (o.id > a.id or o.message_id is not null or o.contact_id is not null or o.note_id is not null)
    ) then storage_key end as key from attachments a
    where message_id is null and contact_id is null and note_id is null and created_at < ${createdBefore} and ${isUnused}
      and ${isAtWork('a.workspace_id')}
    order by created_at
    limit ${limit}`.execute(db)
  return rows
}

/** Deletes the rows of attachments whose files are removed. */
export const deleteUnbound = async (db: Db, refs: readonly AttachmentRef[]): Promise<void> => {
  await sql`
    with deleted as (
      delete from attachments a using unnest(
        ${refs.map(({ workspaceId }) => workspaceId)}::text[], ${refs.map(({ id }) => id)}::text[]
      ) as r (workspace_id, id)
      where a.workspace_id = r.workspace_id and a.id = r.id and a.message_id is null and a.contact_id is null
        and a.note_id is null and ${isUnused}
      returning a.workspace_id, a.size, a.state, a.uploaded_by
    ), freed as (
      select workspace_id, sum(size) as bytes from deleted
      where state = 'stored' and uploaded_by is not null group by workspace_id
    )
    update upload_usage u set bytes = greatest(0, u.bytes - f.bytes)
    from freed f where f.workspace_id = u.workspace_id`.execute(db)
}
