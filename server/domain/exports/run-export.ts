import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ARCHIVE_RESOURCES, type StoredExportFile } from '../../platform/db/tables.ts'
import { record } from '../../platform/events/record.ts'
import { type ArchiveFile, fileNameOf, MANIFEST_NAME, TAR_NAME } from './archive-format.ts'
import { keyOf, PERSON_ARCHIVE_NAME } from './person-archive.ts'
import { beginTry, endExport, isCompleted } from './queries.ts'
import { type ArchiveSink, writeArchive } from './write-archive.ts'
import { writePersonArchive } from './write-person-archive.ts'

/** A process that dies while it exports counts too. */
const TRIES_MAX = 5
const FEED_WAIT_MS = 30_000
const PROBLEM = 'The files could not be written. The server’s log says why.'

/** Writes an export's files from the beginning. What was written before is replaced. */
export const runExport = async (
  ctx: Ctx,
  id: string,
  { connectionString, signal }: { connectionString: string; signal: AbortSignal },
): Promise<void> => {
  const wanted = await beginTry(ctx, id)
  // The person was erased, it was deleted, or another process was first.
  if (!wanted) return removeUnwanted(ctx, id)
  if (wanted.tries > TRIES_MAX) {
    await endExport(ctx, id, { problem: PROBLEM })
    return removeUnwanted(ctx, id)
  }
  const stored = (file: ArchiveFile): StoredExportFile => ({ ...file, key: keyOf(ctx, id, file.name) })
  const sink: ArchiveSink = async (name, content) => {
    await ctx.files.put(keyOf(ctx, id, name), content, { mimeType: 'application/octet-stream' })
  }
  const { contactId } = wanted
  const given = { connectionString, signal, sink }
  const files =
    contactId === null
      ? (await writeArchive(ctx, { ...wanted, ...given, feedWaitMs: FEED_WAIT_MS })).files
      : [await writePersonArchive(ctx, { ...given, contactId })]
  const isEnded = await inTransaction(ctx, async (ctx) => {
    if (!(await endExport(ctx, id, { files: files.map(stored) }))) return false
    if (contactId === null) await record(ctx, { type: 'export.completed', data: { exportId: id } })
    return true
  })
  if (!isEnded) await removeUnwanted(ctx, id)
}

const FILE_NAMES = [PERSON_ARCHIVE_NAME, MANIFEST_NAME, TAR_NAME, ...ARCHIVE_RESOURCES.map(fileNameOf)]

/** What an export leaves that was ended or deleted while it was written. */
const removeUnwanted = async (ctx: Ctx, id: string): Promise<void> => {
  if (await isCompleted(ctx, id)) return
  for (const name of FILE_NAMES) await ctx.files.remove(keyOf(ctx, id, name))
}
