import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import type { StoredExportFile } from '../../platform/db/tables.ts'
import { record } from '../../platform/events/record.ts'
import type { ArchiveFile } from './archive-format.ts'
import { beginTry, endExport } from './queries.ts'
import { writeArchive } from './write-archive.ts'

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
  if (!wanted) return
  if (wanted.tries > TRIES_MAX) {
    await endExport(ctx, id, { problem: PROBLEM })
    return
  }
  const stored = (file: ArchiveFile): StoredExportFile => ({ ...file, key: keyOf(ctx, id, file.name) })
  const { files } = await writeArchive(ctx, {
    ...wanted,
    connectionString,
    signal,
    feedWaitMs: FEED_WAIT_MS,
    sink: async (name, content) => {
      await ctx.files.put(keyOf(ctx, id, name), content, { mimeType: 'application/octet-stream' })
    },
  })
  await inTransaction(ctx, async (ctx) => {
    if (await endExport(ctx, id, { files: files.map(stored) }))
      await record(ctx, { type: 'export.completed', data: { exportId: id } })
  })
}

/** Keys have no dots. */
const keyOf = ({ workspaceId }: Ctx, id: string, name: string): string =>
  `${workspaceId}/exports/${id}/${name.replace('.', '-')}`
