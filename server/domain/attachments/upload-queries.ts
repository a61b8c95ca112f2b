// The SQL of content uploaded to us: the row is written before the file, so that no file is ever without a row.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { FileType } from './queries.ts'

type NewUpload = {
  id: string
  type: FileType
  name: string
  mimeType: string
  key: string
  /** The actor that may attach it to a message or note; null for inbound files. */
  contentHash: Buffer | null
  uploadedBy: string | null
}

/** Whether the workspace has upload quota left. */
export const hasUploadRoom = async ({ db, workspaceId }: Ctx): Promise<boolean> => {
  const { rows } = await sql<{ hasRoom: boolean }>`
    select coalesce(u.bytes, 0) < w.upload_quota_bytes as "hasRoom"
    from workspaces w left join upload_usage u on u.workspace_id = w.id
    where w.id = ${workspaceId}`.execute(db)
  return rows[0]?.hasRoom ?? false
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

/**
 * The same for a file uploaded by the workspace, which counts against its quota. A single statement, so that concurrent
 * uploads cannot exceed it. False if there is no room, or the row is gone.
 */
export const completeCountedUpload = async (
  { db, workspaceId }: Ctx,
  id: string,
  size: number,
): Promise<boolean> => {
  const { numAffectedRows } = await sql`
    with counted as (
      insert into upload_usage as u (workspace_id, bytes)
      select w.id, ${size}::bigint from workspaces w
      join attachments a on a.workspace_id = w.id and a.id = ${id} and a.state = 'uploading'
      where w.id = ${workspaceId} and ${size}::bigint <= w.upload_quota_bytes
      on conflict (workspace_id) do update set bytes = u.bytes + excluded.bytes
      where u.bytes + excluded.bytes <= (select upload_quota_bytes from workspaces where id = u.workspace_id)
      returning u.workspace_id
    )
    update attachments a set state = 'stored', size = ${size}::bigint
    from counted c where a.workspace_id = c.workspace_id and a.id = ${id} and a.state = 'uploading'`.execute(
    db,
  )
  return numAffectedRows === 1n
}

/** Removes the row of content that could not be stored. */
export const deleteUpload = async ({ db, workspaceId }: Ctx, id: string): Promise<void> => {
  await db
    .deleteFrom('attachments')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('message_id', 'is', null)
    .where('note_id', 'is', null)
    .execute()
}

/** Unbound uploads that were kept for a held message can be attached as if they were new. */
export const renewUploads = async ({ db, workspaceId, now }: Ctx, ids: readonly string[]): Promise<void> => {
  await sql`
    update attachments set created_at = ${now()}
    where workspace_id = ${workspaceId} and id = any(${ids}) and message_id is null and note_id is null`.execute(
    db,
  )
}

type Bound = { messageId: string } | { noteId: string }

/**
 * Attaches stored, unbound contents to a message or a note, if they belong to the given actor and were created since a time.
 * Returns the number attached: fewer than requested if one is unknown, taken, too old or someone else's.
 */
export const bindTo = async (
  { db, workspaceId }: Ctx,
  {
    to,
    ids,
    uploadedBy,
    since,
  }: { to: Bound; ids: readonly string[]; uploadedBy: string | null; since: Date },
): Promise<number> => {
  const change = 'noteId' in to ? sql`note_id = ${to.noteId}` : sql`message_id = ${to.messageId}`
  const { numAffectedRows } = await sql`
    update attachments set ${change}
    where workspace_id = ${workspaceId} and id = any(${ids}) and message_id is null and note_id is null
      and state = 'stored'
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

export type KeyedUpload = UploadRow & { key: string }

/** Those of the actor's contents that are not attached yet. */
export const listUploads = async (
  { db, workspaceId }: Ctx,
  { ids, uploadedBy, since }: { ids: readonly string[]; uploadedBy: string | null; since: Date },
): Promise<KeyedUpload[]> => {
  const { rows } = await sql<KeyedUpload>`
    select id, type, name, mime_type as "mimeType", size, storage_key as key from attachments
    where workspace_id = ${workspaceId} and id = any(${ids}) and message_id is null and note_id is null
      and state = 'stored' and uploaded_by is not distinct from ${uploadedBy} and created_at >= ${since}
    order by id`.execute(db)
  return rows
}
