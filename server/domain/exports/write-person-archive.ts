import type { Ctx } from '../../platform/ctx/ctx.ts'
import { endOfTar, headerOfTar, paddingOfTar } from '../../platform/files/tar.ts'
import type { ArchiveFile } from './archive-format.ts'
import { PERSON_ARCHIVE_NAME } from './person-archive.ts'
import { PERSON_RECORDS, readPersonRecords } from './person-queries.ts'
import { readFiles, readLines } from './row-queries.ts'
import { inSnapshot } from './snapshot.ts'
import { type ArchiveSink, type Piece, tarEntriesOf, writeFile } from './write-archive.ts'

/** In the form of the workspace's archive. */
const RESOURCES = [
  'contacts',
  'tags',
  'contactGroups',
  'conversations',
  'messages',
  'notes',
  'attachments',
] as const

type Options = {
  connectionString: string
  contactId: string
  sink: ArchiveSink
  /** Aborted: it throws the reason. */
  signal: AbortSignal
}

/** Writes everything about one person to a tar, from one snapshot: JSON in files of a page each, then the attachments. */
export const writePersonArchive = (
  ctx: Ctx,
  { connectionString, contactId, sink, signal }: Options,
): Promise<ArchiveFile> =>
  inSnapshot({ connectionString, workspaceId: ctx.workspaceId }, ({ db }) => {
    const filter = { workspaceId: ctx.workspaceId, contactId, createdAfter: null, includeFiles: true }
    return writeFile(sink, { name: PERSON_ARCHIVE_NAME, resource: null }, pieces())

    async function* pieces(): AsyncGenerator<Piece> {
      for (const resource of RESOURCES) yield* jsonOf(resource, readLines(db, resource, filter), signal)
      for (const record of PERSON_RECORDS)
        yield* jsonOf(record, readPersonRecords(db, record, { ...filter, contactId }), signal)
      for await (const piece of tarEntriesOf(ctx, readFiles(db, filter))) {
        signal.throwIfAborted()
        yield piece
      }
      yield { content: endOfTar(), rows: 0 }
    }
  })

/** A tar says how long a file is before its content, so each page is a file. */
async function* jsonOf(
  name: string,
  pages: AsyncIterable<string[]>,
  signal: AbortSignal,
): AsyncGenerator<Piece> {
  let page = 0
  for await (const lines of pages) {
    signal.throwIfAborted()
    page++
    const content = Buffer.from(`[\n${lines.join(',\n')}\n]\n`)
    yield {
      content: headerOfTar(page === 1 ? `${name}.json` : `${name}-${page}.json`, content.length),
      rows: 0,
    }
    yield { content, rows: lines.length }
    yield { content: paddingOfTar(content.length), rows: 0 }
  }
}
