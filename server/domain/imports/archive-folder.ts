// An archive in a folder. Only files with the names of the format are opened, and no links: what a manifest or a row
// names leads nowhere else.
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { ArchiveResource } from '../../platform/db/tables.ts'
import {
  ARCHIVE_FORMAT,
  ARCHIVE_VERSION,
  fileNameOf,
  MANIFEST_NAME,
  type Manifest,
  TAR_NAME,
} from '../exports/archive-format.ts'
import type { Line } from './loader.ts'
import { isObject } from './read-row.ts'

/** Says in one line what is wrong with an archive as a whole. */
export class ArchiveProblem extends Error {}

export type Archive = {
  manifest: Pick<Manifest, 'source'>
  lines: (resource: ArchiveResource) => AsyncIterable<Line[]>
  /** Undefined without files. */
  tar: () => Promise<AsyncIterable<Buffer> | undefined>
}

const MANIFEST_BYTES_MAX = 4 * 1024 * 1024
const LINE_BYTES_MAX = 4 * 1024 * 1024
const BATCH_LINES = 500
const BATCH_BYTES = 4 * 1024 * 1024
const SOURCE_PATTERN = /^[a-z]{1,20}:[^\s]{1,200}$/
const NEWLINE = 10

const openFile = async (folder: string, name: string) => {
  const file = await openIfThere(folder, name)
  if (!file || (await file.stat()).isFile()) return file
  await file.close()
  throw new ArchiveProblem(`${name} is not a file`)
}

const openIfThere = async (folder: string, name: string) => {
  try {
    // A pipe that nobody writes to would be waited for without end.
    return await open(join(folder, name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    if (code === 'ELOOP') throw new ArchiveProblem(`${name} is a link`)
    throw error
  }
}

/** Throws ArchiveProblem. */
export const openArchive = async (folder: string): Promise<Archive> => ({
  manifest: await readManifest(folder),
  lines: (resource) => readBatches(folder, fileNameOf(resource)),
  tar: async () =>
    (await openFile(folder, TAR_NAME))?.createReadStream() as AsyncIterable<Buffer> | undefined,
})

const readManifest = async (folder: string): Promise<Pick<Manifest, 'source'>> => {
  const file = await openFile(folder, MANIFEST_NAME)
  if (!file) throw new ArchiveProblem(`there is no ${MANIFEST_NAME}`)
  try {
    if ((await file.stat()).size > MANIFEST_BYTES_MAX)
      throw new ArchiveProblem(`${MANIFEST_NAME} is too large`)
    const manifest = parse(await file.readFile('utf8'))
    if (!isObject(manifest) || manifest.format !== ARCHIVE_FORMAT)
      throw new ArchiveProblem('this is not an archive of Foyer')
    if (typeof manifest.version !== 'number' || manifest.version > ARCHIVE_VERSION)
      throw new ArchiveProblem(
        `this archive has version ${manifest.version}; this server reads ${ARCHIVE_VERSION}. Update it first`,
      )
    const { source } = manifest
    if (typeof source !== 'string' || !SOURCE_PATTERN.test(source))
      throw new ArchiveProblem('the manifest doesn’t say where the archive is from')
    return { source }
  } finally {
    await file.close()
  }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new ArchiveProblem(`${MANIFEST_NAME} isn't JSON`)
  }
}

async function* readBatches(folder: string, name: string): AsyncGenerator<Line[]> {
  const file = await openFile(folder, name)
  if (!file) return
  let batch: Line[] = []
  let bytes = 0
  for await (const line of readLines(file.createReadStream() as AsyncIterable<Buffer>)) {
    batch.push(line)
    bytes += 'text' in line ? line.text.length : 0
    if (batch.length < BATCH_LINES && bytes < BATCH_BYTES) continue
    yield batch
    batch = []
    bytes = 0
  }
  if (batch.length > 0) yield batch
}

/** Numbered lines. One that is too long is passed over without being held. */
export async function* readLines(source: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  let parts: Buffer[] = []
  let length = 0
  let number = 0
  const take = (): Line | undefined => {
    const text = length > LINE_BYTES_MAX ? null : Buffer.concat(parts).toString('utf8').trim()
    parts = []
    length = 0
    number++
    if (text === null) return { number, problem: 'is too long' }
    return text === '' ? undefined : { number, text }
  }
  for await (const chunk of source) {
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      hold(chunk.subarray(from, at))
      const line = take()
      if (line) yield line
      from = at + 1
    }
    hold(chunk.subarray(from))
  }
  if (length > 0) {
    const line = take()
    if (line) yield line
  }

  function hold(part: Buffer): void {
    length += part.length
    if (length > LINE_BYTES_MAX) parts = []
    else if (part.length > 0) parts.push(part)
  }
}
