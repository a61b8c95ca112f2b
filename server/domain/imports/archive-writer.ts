// Writes the archive of another source to a folder, row by row.
import { createWriteStream, type WriteStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ArchiveResource } from '../../platform/db/tables.ts'
import { endOfTar, headerOfTar, paddingOfTar } from '../../platform/files/tar.ts'
import {
  ARCHIVE_FORMAT,
  ARCHIVE_VERSION,
  fileNameOf,
  MANIFEST_NAME,
  type Manifest,
  TAR_NAME,
} from '../exports/archive-format.ts'

export type ArchiveWriter = {
  write: (resource: ArchiveResource, row: object) => Promise<void>
  /** The contents of the attachment with this id. */
  addFile: (id: string, content: Buffer) => Promise<void>
  /** Resolves once everything is in the files. */
  finish: (takenAt: Date) => Promise<void>
}

export const openArchiveWriter = (folder: string, source: string): ArchiveWriter => {
  const streams = new Map<string, WriteStream>()
  let failure: Error | null = null
  const append = async (name: string, content: string | Buffer): Promise<void> => {
    if (failure) throw failure
    let stream = streams.get(name)
    if (!stream) {
      stream = createWriteStream(join(folder, name))
      stream.on('error', (error) => {
        failure = error
      })
      streams.set(name, stream)
    }
    const open = stream
    await new Promise<void>((resolve, reject) => {
      open.write(content, (error) => (error ? reject(error) : resolve()))
    })
  }
  return {
    write: (resource, row) => append(fileNameOf(resource), `${JSON.stringify(row)}\n`),
    addFile: async (id, content) => {
      await append(TAR_NAME, headerOfTar(`files/${id}`, content.length))
      await append(TAR_NAME, Buffer.concat([content, paddingOfTar(content.length)]))
    },
    finish: async (takenAt) => {
      if (streams.has(TAR_NAME)) await append(TAR_NAME, endOfTar())
      for (const stream of streams.values())
        await new Promise<void>((resolve, reject) => {
          stream.once('error', reject)
          stream.end(resolve)
        })
      const manifest: Manifest = {
        format: ARCHIVE_FORMAT,
        version: ARCHIVE_VERSION,
        source,
        takenAt: takenAt.toISOString(),
        createdAfter: null,
        feed: null,
        files: [],
      }
      await writeFile(join(folder, MANIFEST_NAME), JSON.stringify(manifest))
    },
  }
}
