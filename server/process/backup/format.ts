// A backup is one file: a tar, compressed with zstd, of a header, the tables in PostgreSQL's binary format, the files, and
// an end with the hash of everything before. Contents are cut into numbered parts, because a tar names sizes first.
import { createHash, type Hash } from 'node:crypto'
import type { CopiedSequence, CopiedTable } from '../../platform/db/copy/catalog.ts'
import { endOfTar, headerOfTar, paddingOfTar, readTar } from '../../platform/files/tar.ts'

export const BACKUP_FORMAT = 'foyer-backup'
export const BACKUP_VERSION = 1
export const HEADER_NAME = 'backup.json'
export const END_NAME = 'end.json'
const PART_BYTES = 4 * 1024 * 1024
const JSON_BYTES_MAX = 16 * 1024 * 1024

export type BackupHeader = {
  format: typeof BACKUP_FORMAT
  version: number
  /** Of Foyer. */
  foyer: string
  takenAt: string
  migrations: string[]
  /** Signed with SECRET_KEY, to recognize the key when it is restored. */
  keyCheck: string
  tables: CopiedTable[]
  sequences: CopiedSequence[]
}

export type BackupEnd = {
  /** Rows by table. */
  rows: Record<string, number>
  files: number
  /** Files that should have been there: named for the operator, at most so many. */
  missingFiles: string[]
  /** Of the names and contents of all parts before. */
  sha256: string
}

/** What is signed with SECRET_KEY in the header. */
export const KEY_CHECK = 'backup'

export const tableSection = (name: string): string => `database/${name.replaceAll('"', '')}`
const FILES = 'files/'
export const fileSection = (key: string): string => `${FILES}${key}`
export const keyOfSection = (name: string): string | undefined =>
  name.startsWith(FILES) ? name.slice(FILES.length) : undefined

const partName = (section: string, part: number): string => `${section}/${String(part).padStart(6, '0')}`

export type BackupWriter = {
  section: (name: string, content: AsyncIterable<Buffer>) => AsyncGenerator<Buffer>
  end: (end: Omit<BackupEnd, 'sha256'>) => AsyncGenerator<Buffer>
}

/** The bytes of the tar, in order. */
export const makeBackupWriter = (): BackupWriter => {
  const hash = createHash('sha256')
  function* part(name: string, pieces: readonly Buffer[]): Generator<Buffer> {
    const size = pieces.reduce((sum, { length }) => sum + length, 0)
    yield headerOfTar(name, size)
    hash.update(name)
    for (const piece of pieces) {
      hash.update(piece)
      yield piece
    }
    yield paddingOfTar(size)
  }
  return {
    async *section(name, content) {
      let [held, bytes, count]: [Buffer[], number, number] = [[], 0, 0]
      for await (const piece of content) {
        held.push(piece)
        bytes += piece.length
        if (bytes < PART_BYTES) continue
        yield* part(partName(name, ++count), held)
        ;[held, bytes] = [[], 0]
      }
      if (bytes > 0 || count === 0) yield* part(partName(name, ++count), held)
    },
    async *end(end) {
      const sha256 = hash.digest('hex')
      const text = Buffer.from(JSON.stringify({ ...end, sha256 } satisfies BackupEnd))
      yield headerOfTar(partName(END_NAME, 1), text.length)
      yield text
      yield paddingOfTar(text.length)
      yield endOfTar()
    },
  }
}

export type Section = { name: string; content: AsyncGenerator<Buffer> }

/** What was read is not what was written. */
export class DamagedBackup extends Error {}

const orDamaged = async <T>(reading: Promise<T>): Promise<T> => {
  try {
    return await reading
  } catch (cause) {
    throw new DamagedBackup((cause as Error).message, { cause })
  }
}

/** The sections of a backup, each to be read before the next. What they hold is hashed on the way. Throws DamagedBackup. */
export async function* readSections(source: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Section> {
  const entries = readTar(source)
  const next = () => orDamaged(entries.next())
  try {
    let entry = await next()
    while (!entry.done) {
      const name = sectionOf(entry.value.name)
      const content = (async function* (): AsyncGenerator<Buffer> {
        while (!entry.done && sectionOf(entry.value.name) === name) {
          if (name !== END_NAME) hash.update(entry.value.name)
          const pieces = entry.value.content[Symbol.asyncIterator]()
          for (
            let piece = await orDamaged(pieces.next());
            !piece.done;
            piece = await orDamaged(pieces.next())
          ) {
            if (name !== END_NAME) hash.update(piece.value)
            yield piece.value
          }
          entry = await next()
        }
      })()
      yield { name, content }
    }
  } finally {
    await entries.return(undefined).catch(() => {})
  }
}

const sectionOf = (name: string): string => name.slice(0, name.lastIndexOf('/'))

/** A section of ours that is JSON. */
export const readJsonSection = async <T>({ content }: Section): Promise<T> => {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of content) {
    pieces.push(piece)
    bytes += piece.length
    if (bytes > JSON_BYTES_MAX) throw new DamagedBackup('its description is too long')
  }
  try {
    return JSON.parse(Buffer.concat(pieces).toString('utf8'))
  } catch (cause) {
    throw new DamagedBackup('its description is not JSON', { cause })
  }
}
