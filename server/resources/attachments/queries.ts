// All SQL that writes attachments: rows that say what a file is, whose message it belongs to and where its content is.
import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../ctx.ts'
import type { Db } from '../../db/pool.ts'
import type { Tables } from '../../db/tables.ts'

export type AttachmentType = Tables['attachments']['type']
export type FileType = Exclude<AttachmentType, 'location' | 'contacts'>

/**
 * An attachment that comes with an inbound message. `pending`: the provider has the file, `source` is what its channel's
 * fetchMedia needs. `inline`: `source` is the content itself.
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

/** Stores attachments of messages, as a part of the statement that stores the messages or after it. */
export const attachmentsInsert = (
  { workspaceId }: Pick<Ctx, 'workspaceId'>,
  rows: readonly AttachmentRow[],
  at: Date,
): RawBuilder<unknown> => sql`
  insert into attachments (workspace_id, id, message_id, type, name, mime_type, size, state, source, not_before,
    created_at)
  select ${workspaceId}, id, "messageId", type, name, "mimeType", size, state, source,
    case state when 'pending' then ${at}::timestamptz end, ${at}
  from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as a (
    id text, "messageId" text, type text, name text, "mimeType" text, size bigint, state text, source jsonb)`

// Contents that we are given: first a row, then the file, so that no file is ever without a row. --------------------

export type NewUpload = {
  id: string
  type: FileType
  name: string
  mimeType: string
  key: string
  /** The actor that may put it on a message; null for what came in. */
  contentHash: Buffer | null
  uploadedBy: string | null
}

export const insertUpload = async (
  { db, workspaceId, now }: Ctx,
  { id, type, name, mimeType, key, contentHash, uploadedBy }: NewUpload,
): Promise<void> => {
  await db
    .insertInto('attachments')
    .values({
      workspace_id: workspaceId,
      id,
      message_id: null,
      type,
      name,
      mime_type: mimeType,
      size: 0,
      storage_key: key,
      content_hash: contentHash,
      state: 'uploading',
      uploaded_by: uploadedBy,
      created_at: now(),
    })
    .execute()
}

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

/** How far back in a thread a file is looked for. */
const REPEATS_WITHIN_MESSAGES = 200

/** Which of the attachments have the content of one that the conversation has already: id → that one's id. */
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

/** False when the row is gone. */
export const completeUpload = async (
  { db, workspaceId }: Ctx,
  id: string,
  size: number,
): Promise<boolean> => {
  const { numUpdatedRows } = await db
    .updateTable('attachments')
    .set({ state: 'stored', size })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('state', '=', 'uploading')
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Removes the row of a content that could not be kept. */
export const deleteUpload = async ({ db, workspaceId }: Ctx, id: string): Promise<void> => {
  await db
    .deleteFrom('attachments')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('message_id', 'is', null)
    .execute()
}

/**
 * Gives stored, unbound contents to a message. Only those of the actor named, made since a time. Returns how many it
 * were: fewer than asked for when one is unknown, taken, too old or somebody else's.
 */
export const bindToMessage = async (
  { db, workspaceId }: Ctx,
  {
    messageId,
    ids,
    uploadedBy,
    since,
  }: { messageId: string; ids: readonly string[]; uploadedBy: string | null; since: Date },
): Promise<number> => {
  const { numAffectedRows } = await sql`
    update attachments set message_id = ${messageId}
    where workspace_id = ${workspaceId} and id = any(${ids}) and message_id is null and state = 'stored'
      and uploaded_by is not distinct from ${uploadedBy} and created_at >= ${since}`.execute(db)
  return Number(numAffectedRows ?? 0)
}

export type UploadRow = {
  id: string
  type: FileType
  name: string
  mimeType: string
  size: number
}

/** Those of the actor's contents that no message has yet. */
export const listUploads = async (
  { db, workspaceId }: Ctx,
  { ids, uploadedBy, since }: { ids: readonly string[]; uploadedBy: string | null; since: Date },
): Promise<UploadRow[]> => {
  const { rows } = await sql<UploadRow>`
    select id, type, name, mime_type as "mimeType", size from attachments
    where workspace_id = ${workspaceId} and id = any(${ids}) and message_id is null and state = 'stored'
      and uploaded_by is not distinct from ${uploadedBy} and created_at >= ${since}
    order by id`.execute(db)
  return rows
}

// Reading ---------------------------------------------------------------------------------------------------------

export type StoredFile = {
  workspaceId: string
  name: string
  mimeType: string
  size: number
  state: 'uploading' | 'stored' | 'pending' | 'inline' | 'failed'
  source: Record<string, unknown> | null
  key: string | null
}

/** The attachment that a signed link names: its id is unique over the platform. */
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

// Fetching from providers. These look over all workspaces at once. ------------------------------------------------

export type PendingFile = {
  workspaceId: string
  id: string
  tries: number
  type: FileType
  mimeType: string
  name: string
  source: Record<string, unknown> | null
  createdAt: string
  messageId: string
  conversationId: string
  contactId: string
  channelAccountId: string
}

/**
 * Takes the pending attachment that has been due the longest, until a time: should whoever took it die, it is due again
 * then. Undefined when none is due.
 */
export const claimPending = async (db: Db, now: Date, until: Date): Promise<PendingFile | undefined> => {
  const { rows } = await sql<PendingFile>`
    with due as (
      select workspace_id, id from attachments
      where state = 'pending' and not_before <= ${now} and message_id is not null
      order by not_before
      limit 1
      for no key update skip locked
    ), claimed as (
      update attachments a set not_before = ${until}, tries = a.tries + 1
      from due where a.workspace_id = due.workspace_id and a.id = due.id
      returning a.*
    )
    select f.workspace_id as "workspaceId", f.id, f.tries, f.type, f.mime_type as "mimeType", f.name, f.source,
      f.created_at as "createdAt", m.id as "messageId", m.conversation_id as "conversationId",
      c.contact_id as "contactId", m.channel_account_id as "channelAccountId"
    from claimed f
    join messages m on m.workspace_id = f.workspace_id and m.id = f.message_id
    join conversations c on c.workspace_id = m.workspace_id and c.id = m.conversation_id`.execute(db)
  return rows[0]
}

type Claimed = Pick<PendingFile, 'id' | 'tries'>

/** The end of a claim. False when it was no longer this one. */
export const endPending = async (
  { db, workspaceId }: Ctx,
  { id, tries }: Claimed,
  end:
    | { state: 'stored'; key: string; size: number; mimeType: string; name: string }
    | { state: 'failed'; failure: string }
    | { state: 'pending'; failure: string; notBefore: Date },
): Promise<boolean> => {
  const set =
    end.state === 'stored'
      ? {
          state: end.state,
          storage_key: end.key,
          size: end.size,
          mime_type: end.mimeType,
          name: end.name,
          not_before: null,
          failure: null,
        }
      : end.state === 'failed'
        ? { state: end.state, failure: end.failure, not_before: null }
        : { failure: end.failure, not_before: end.notBefore }
  const { numUpdatedRows } = await db
    .updateTable('attachments')
    .set(set)
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .where('tries', '=', tries)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

export type AttachmentRef = { workspaceId: string; id: string }

/** Pending attachments that nobody has taken since they were due. */
export const listOverdueFiles = async (
  db: Db,
  dueBefore: Date,
  limit: number,
): Promise<{ workspaceId: string; attachmentId: string }[]> => {
  const { rows } = await sql<{ workspaceId: string; attachmentId: string }>`
    select workspace_id as "workspaceId", id as "attachmentId" from attachments
    where state = 'pending' and not_before <= ${dueBefore} and message_id is not null
    order by not_before
    limit ${limit}`.execute(db)
  return rows
}

// Pictures of contacts ---------------------------------------------------------------------------------------------

/** Makes a stored file the contact's picture; the one before is nobody's any more, and swept. */
export const bindToContact = async (
  { db, workspaceId }: Pick<Ctx, 'db' | 'workspaceId'>,
  contactId: string,
  id: string,
): Promise<void> => {
  await sql`
    update attachments set contact_id = case when id = ${id} then ${contactId} end
    where workspace_id = ${workspaceId} and (id = ${id} and message_id is null or contact_id = ${contactId})`.execute(
    db,
  )
}

/** What belongs to one contact goes to another. */
export const moveToContact = async (
  { db, workspaceId }: Pick<Ctx, 'db' | 'workspaceId'>,
  from: string,
  to: string,
): Promise<void> => {
  await db
    .updateTable('attachments')
    .set({ contact_id: to })
    .where('workspace_id', '=', workspaceId)
    .where('contact_id', '=', from)
    .execute()
}

// Sweeping --------------------------------------------------------------------------------------------------------

/** Attachments that no message and no contact has, made before a time. */
export const listUnbound = async (
  db: Db,
  createdBefore: Date,
  limit: number,
): Promise<(AttachmentRef & { key: string | null })[]> => {
  const { rows } = await sql<AttachmentRef & { key: string | null }>`
    select workspace_id as "workspaceId", id, storage_key as key from attachments
    where message_id is null and contact_id is null and created_at < ${createdBefore}
    order by created_at
    limit ${limit}`.execute(db)
  return rows
}

/** Forgets attachments whose files are removed. */
export const deleteUnbound = async (db: Db, refs: readonly AttachmentRef[]): Promise<void> => {
  await sql`
    delete from attachments a using unnest(
      ${refs.map(({ workspaceId }) => workspaceId)}::text[], ${refs.map(({ id }) => id)}::text[]
    ) as r (workspace_id, id)
    where a.workspace_id = r.workspace_id and a.id = r.id and a.message_id is null and a.contact_id is null`.execute(
    db,
  )
}
