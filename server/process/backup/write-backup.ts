// Writes everything into one file, while servers run: the database as it is at one moment, then the files that it refers
// to.
import { createWriteStream } from 'node:fs'
import { access, open, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress } from 'node:zlib'
import type { Connection } from '../../platform/db/connection.ts'
import { listMigrations } from '../../platform/db/copy/catalog.ts'
import { makeProgress } from '../../platform/db/copy/progress.ts'
import { openCopyConnection } from '../../platform/db/copy/sessions.ts'
import { beginSnapshot, readTable } from '../../platform/db/copy/snapshot.ts'
import { type FileStore, MissingFileError } from '../../platform/files/store.ts'
import { makeSeal } from '../../platform/seal.ts'
import { StartError } from '../../platform/start-error.ts'
import { VERSION } from '../../platform/version.ts'
import type { Config } from '../config.ts'
import { openDatabase } from '../open-database.ts'
import { openFiles } from '../open-files.ts'
import { findSecretKey } from '../secret-key.ts'
import {
  BACKUP_FORMAT,
  BACKUP_VERSION,
  type BackupEnd,
  type BackupHeader,
  fileSection,
  HEADER_NAME,
  KEY_CHECK,
  makeBackupWriter,
  tableSection,
} from './format.ts'
import { listFileKeys, listStillNeeded } from './list-files.ts'

const MISSING_NAMED_MAX = 1_000
const UNFINISHED = '.unfinished'

export type Backup = {
  file: string
  bytes: number
  takenAt: string
  tables: number
  rows: number
  files: number
  /** Files that the database refers to and the storage doesn't have. */
  missingFiles: string[]
}

type Say = (line: string) => void

/**
 * The file has its name once it is complete and on disk; a killed backup leaves one that ends in `.unfinished`. Throws
 * StartError.
 */
export const writeBackup = async (config: Config, file: string, say: Say): Promise<Backup> => {
  if (await exists(file)) throw new StartError(`${file} exists already, and a backup never replaces a file.`)
  const key = await findSecretKey(config)
  const { connectionString, release } = await openDatabase(config, say)
  const client = await openCopyConnection(connectionString, 'foyer backup')
  const unfinished = `${file}${UNFINISHED}`
  try {
    const migrations = await listMigrations(client)
    if (migrations.length === 0)
      throw new StartError('There is nothing to back up: Foyer has never used this database.')
    const { tables, sequences, takenAt } = await beginSnapshot(client)
    const header: BackupHeader = {
      ...{
        format: BACKUP_FORMAT,
        version: BACKUP_VERSION,
        foyer: VERSION,
        takenAt,
        migrations,
        tables,
        sequences,
      },
      keyCheck: makeSeal(key).sign(KEY_CHECK, takenAt),
    }
    const written = { rows: {}, files: 0, missingFiles: [] } satisfies Written
    await pipeline(
      Readable.from(contentsOf({ client, files: openFiles(config), header, written, say }), {
        objectMode: false,
      }),
      createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } }),
      createWriteStream(unfinished, { mode: 0o600, flush: true }),
    )
    await rename(unfinished, file)
    await syncFolder(dirname(file))
    const { rows, ...rest } = written as Written
    const total = Object.values(rows).reduce((sum, count) => sum + count, 0)
    return {
      file: basename(file),
      bytes: (await stat(file)).size,
      takenAt,
      tables: tables.length,
      rows: total,
      ...rest,
    }
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  } finally {
    await client.end().catch(() => {})
    await release()
  }
}

type Written = Omit<BackupEnd, 'sha256'>

type Source = { client: Connection; files: FileStore; header: BackupHeader; written: Written; say: Say }

async function* contentsOf({ client, files, header, written, say }: Source): AsyncGenerator<Buffer> {
  const writer = makeBackupWriter()
  const progress = makeProgress(say)
  yield* writer.section(HEADER_NAME, once(JSON.stringify(header)))
  for (const table of header.tables) {
    const reading = readTable(client, table)
    yield* writer.section(tableSection(table.name), reading)
    // The count arrives after the last row.
    await client.query('select')
    written.rows[table.name] = reading.rowCount
    progress(`saved the table ${table.name}`)
  }
  const missing: string[] = []
  for await (const key of listFileKeys(client)) {
    const content = await files.open(key).catch((error) => {
      if (!(error instanceof MissingFileError)) throw error
      if (missing.length < MISSING_NAMED_MAX) missing.push(key)
      return null
    })
    if (!content) continue
    yield* writer.section(fileSection(key), content)
    written.files += 1
    progress(`saved ${written.files} files`)
  }
  await client.query('rollback')
  written.missingFiles = await listStillNeeded(client, missing)
  yield* writer.end(written)
}

async function* once(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text)
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

const syncFolder = async (path: string): Promise<void> => {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
