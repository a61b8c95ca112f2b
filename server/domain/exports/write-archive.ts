import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { ArchiveResource } from '../../platform/db/tables.ts'
import { endOfTar, headerOfTar, paddingOfTar } from '../../platform/files/tar.ts'
import {
  ARCHIVE_FORMAT,
  ARCHIVE_VERSION,
  type ArchiveFile,
  fileNameOf,
  MANIFEST_NAME,
  type Manifest,
  TAR_NAME,
} from './archive-format.ts'
import { findFeedStart } from './feed-start.ts'
import { type ArchivedFile, readFiles, readLines } from './row-queries.ts'
import { inSnapshot, type Snapshot } from './snapshot.ts'

/** Where files go: complete and durable when the promise resolves. */
export type ArchiveSink = (name: string, content: Readable) => Promise<void>

type Options = {
  connectionString: string
  resources: readonly ArchiveResource[]
  createdAfter: string | null
  includeFiles: boolean
  sink: ArchiveSink
  /** How long the feed may take to number what the snapshot contains. */
  feedWaitMs: number
  /** Aborted: it throws the reason. */
  signal: AbortSignal
}

/** Writes the files of an archive from one snapshot, the manifest last. Returns what was written. */
export const writeArchive = (
  ctx: Ctx,
  { connectionString, resources, sink, feedWaitMs, signal, ...given }: Options,
): Promise<{ manifest: Manifest; files: ArchiveFile[] }> =>
  inSnapshot({ connectionString, workspaceId: ctx.workspaceId }, async ({ db, takenAt, head }: Snapshot) => {
    const filter = { ...given, contactId: null, workspaceId: ctx.workspaceId }
    // Before everything else: its events are the next ones in the feed.
    const feed = await findFeedStart(ctx, head, feedWaitMs)
    const files: ArchiveFile[] = []
    for (const resource of resources)
      files.push(await writeFile(sink, { name: fileNameOf(resource), resource }, pagesOf(resource)))
    if (given.includeFiles && resources.includes('attachments'))
      files.push(await writeFile(sink, { name: TAR_NAME, resource: null }, tarOf(ctx, readFiles(db, filter))))
    const manifest: Manifest = {
      format: ARCHIVE_FORMAT,
      version: ARCHIVE_VERSION,
      source: `foyer:${ctx.workspaceId}`,
      takenAt,
      createdAfter: given.createdAfter,
      feed,
      files,
    }
    const text = `${JSON.stringify(manifest, null, 2)}\n`
    const own = await writeFile(sink, { name: MANIFEST_NAME, resource: null }, once(Buffer.from(text)))
    return { manifest, files: [own, ...files] }

    async function* pagesOf(resource: ArchiveResource): AsyncGenerator<Piece> {
      for await (const lines of readLines(db, resource, filter)) {
        signal.throwIfAborted()
        yield { content: Buffer.from(`${lines.join('\n')}\n`), rows: lines.length }
      }
    }
  })

export type Piece = { content: Buffer; rows: number }

async function* once(content: Buffer): AsyncGenerator<Piece> {
  yield { content, rows: 1 }
}

export const writeFile = async (
  sink: ArchiveSink,
  { name, resource }: Pick<ArchiveFile, 'name' | 'resource'>,
  pieces: AsyncIterable<Piece>,
): Promise<ArchiveFile> => {
  const hash = createHash('sha256')
  let rows = 0
  let bytes = 0
  const counted = async function* (): AsyncGenerator<Buffer> {
    for await (const piece of pieces) {
      rows += piece.rows
      bytes += piece.content.length
      hash.update(piece.content)
      yield piece.content
    }
  }
  await sink(name, Readable.from(counted(), { objectMode: false }))
  return { name, resource, rows, bytes, sha256: hash.digest('hex') }
}

async function* tarOf(ctx: Ctx, archived: AsyncIterable<ArchivedFile>): AsyncGenerator<Piece> {
  yield* tarEntriesOf(ctx, archived)
  yield { content: endOfTar(), rows: 0 }
}

/** A file that the store has lost is left out; its row says that it was there. */
export async function* tarEntriesOf(
  { files, log }: Pick<Ctx, 'files' | 'log'>,
  archived: AsyncIterable<ArchivedFile>,
): AsyncGenerator<Piece> {
  for await (const { id, key, size } of archived) {
    let rest = size
    const content = await files.open(key).catch((err) => {
      log.warn({ err, key }, 'a file is missing from an export')
      return null
    })
    if (!content) continue
    yield { content: headerOfTar(`files/${id}`, size), rows: 1 }
    for await (const chunk of content as AsyncIterable<Buffer>) {
      const part = chunk.subarray(0, rest)
      rest -= part.length
      if (part.length > 0) yield { content: part, rows: 0 }
    }
    if (rest > 0) throw new Error(`the file ${key} is shorter than its row says`)
    yield { content: paddingOfTar(size), rows: 0 }
  }
}
