// Attachments of messages and notes, and then their contents: a row is there first, so that a run that was killed goes on with the
// files that are missing.

import { Readable } from 'node:stream'
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { rowsOf } from '../../platform/db/rows-of.ts'
import { cleanFileName, cleanMimeType } from '../../platform/files/file-name.ts'
import { fileKey } from '../../platform/files/store.ts'
import { readTar } from '../../platform/files/tar.ts'
import { findImported } from './import-queries.ts'
import { type AttachmentRow, FILE_PATH, readAttachment } from './import-rows.ts'
import type { Loader, Placed, Run } from './loader.ts'

/** Shown until the contents are there, and if the archive doesn't have them. */
const FAILURE = 'not in the archive'

const insert = async (ctx: Ctx, run: Run, rows: readonly AttachmentRow[]): Promise<Placed[]> => {
  const { db, workspaceId } = ctx
  const messages = await findImported(
    ctx,
    run.source,
    'message',
    rows.flatMap(({ messageId }) => messageId ?? []),
  )
  const notes = await findImported(
    ctx,
    run.source,
    'note',
    rows.flatMap(({ noteId }) => noteId ?? []),
  )
  const created: object[] = []
  const placed = rows.map((row): Placed => {
    const message = row.messageId === null ? undefined : messages.get(row.messageId)
    const note = row.noteId === null ? undefined : notes.get(row.noteId)
    // What is here already has its own.
    if (!(message ?? note)?.isCreated)
      return { problem: `its ${row.noteId === null ? 'message' : 'note'} was not imported` }
    const targetId = run.idAt(row.at, row.id)
    created.push({
      ...row,
      targetId,
      messageId: message?.targetId ?? null,
      noteId: note?.targetId ?? null,
      name: cleanFileName(row.name),
      mimeType: cleanMimeType(row.mimeType),
      state: row.content === null ? 'failed' : 'inline',
      failure: row.content === null ? FAILURE : null,
    })
    return { targetId, isCreated: true }
  })
  await sql`
    insert into attachments (workspace_id, id, message_id, note_id, type, name, mime_type, size, state, source, failure, created_at)
    select ${workspaceId}, a."targetId", m.id, n.id, a.type, a.name, a."mimeType", a.size, a.state,
      nullif(a.content, 'null'::jsonb), a.failure, a.at
    from ${rowsOf(created)} as a ("targetId" text, "messageId" text, "noteId" text, type text, name text, "mimeType" text, size bigint,
      state text, content jsonb, failure text, at timestamptz)
    left join messages m on m.workspace_id = ${workspaceId} and m.id = a."messageId"
    left join notes n on n.workspace_id = ${workspaceId} and n.id = a."noteId"
    where m.id is not null or n.id is not null`.execute(db)
  return placed
}

export const ATTACHMENTS: Loader<AttachmentRow> = {
  resource: 'attachments',
  kind: 'attachment',
  table: 'attachments',
  read: readAttachment,
  insert,
  update: async () => {},
}

/** Stores the contents of attachments that have none yet. Entries that are nobody's contents are ignored. */
export const loadFiles = async (ctx: Ctx, run: Run, tar: AsyncIterable<Buffer>): Promise<void> => {
  const { db, workspaceId, files } = ctx
  for await (const { name, size, content } of readTar(tar)) {
    const [, sourceId] = FILE_PATH.exec(name) ?? []
    if (sourceId === undefined) {
      run.report({
        resource: 'attachments',
        line: 0,
        id: name.slice(0, 100),
        problem: 'is not the name of a file',
      })
      continue
    }
    const known = (await findImported(ctx, run.source, 'attachment', [sourceId])).get(sourceId)
    if (!known?.isCreated || run.isDryRun) continue
    const row = await db
      .selectFrom('attachments')
      .select('mime_type as mimeType')
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', known.targetId)
      .where('state', '=', 'failed')
      .where('storage_key', 'is', null)
      .executeTakeFirst()
    if (!row) continue
    const key = fileKey(workspaceId, known.targetId)
    await files.put(key, Readable.from(content, { objectMode: false }), row)
    await db
      .updateTable('attachments')
      .set({ state: 'stored', storage_key: key, size, failure: null })
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', known.targetId)
      .execute()
  }
}
