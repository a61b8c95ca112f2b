// Brings a backup into an empty installation: the configured database, and the configured storage of files.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { access, readdir } from 'node:fs/promises'
import { pipeline, Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { createZstdDecompress } from 'node:zlib'
import { dropCredentials } from '../../domain/channel-accounts/drop-credentials.ts'
import { showEpoch } from '../../domain/feed/cursor.ts'
import type { Connection } from '../../platform/db/connection.ts'
import type { BulkLoad } from '../../platform/db/copy/bulk-load.ts'
import { makeProgress } from '../../platform/db/copy/progress.ts'
import { makeSeal } from '../../platform/seal.ts'
import { StartError } from '../../platform/start-error.ts'
import type { Config } from '../config.ts'
import { fillDatabase } from '../copied-database.ts'
import { openDatabase } from '../open-database.ts'
import { openFiles } from '../open-files.ts'
import { findSecretKey, readSecretKey } from '../secret-key.ts'
import {
  BACKUP_FORMAT,
  BACKUP_VERSION,
  type BackupEnd,
  type BackupHeader,
  DamagedBackup,
  END_NAME,
  HEADER_NAME,
  KEY_CHECK,
  keyOfSection,
  readJsonSection,
  readSections,
  type Section,
  tableSection,
} from './format.ts'
import { findMimeType } from './list-files.ts'

const MIGRATIONS = fileURLToPath(new URL('../../../migrations/', import.meta.url))

export type Restored = {
  takenAt: string
  foyer: string
  tables: number
  rows: number
  files: number
  missingFiles: string[]
  epoch: string
}

type Options = {
  /** Whatever is in the database may be deleted. */
  replace: boolean
  /** Restores without the key that the backup's credentials were encrypted with. */
  withoutCredentials: boolean
  say: (line: string) => void
}

/**
 * Restores everything or, if it fails or is killed, nothing but files, which another attempt replaces. Begins the feed's
 * next epoch. Throws StartError.
 */
export const restoreBackup = async (
  config: Config,
  file: string,
  { replace, withoutCredentials, say }: Options,
): Promise<Restored> => {
  await access(file).catch((cause) => {
    throw new StartError(`${file} can't be read.`, { cause })
  })
  const hash = createHash('sha256')
  const source = pipeline(createReadStream(file), createZstdDecompress(), () => {})
  const sections = readSections(source, hash)
  const next = async (): Promise<Section> => {
    const { value, done } = await sections.next()
    if (done || !value) throw new DamagedBackup('its end is missing')
    return value
  }
  try {
    const header = await readHeader(file, await next())
    await checkKey(config, header, withoutCredentials)
    const { connectionString, release } = await openDatabase(config, say)
    try {
      const what = config.databaseUrl ? 'The database in DATABASE_URL' : `The database in ${config.dataDir}`
      const restoring = { header, next, config, hash, say }
      let end: BackupEnd | undefined
      let epoch = 0
      const { tables, migrations } = header
      const rows = await fillDatabase(
        { connectionString, what, replace, tables, migrations, say },
        {
          work: async (load) => ({ sequences: header.sequences, result: await loadTables(restoring, load) }),
          beforeCommit: async (client) => {
            end = await loadFiles(restoring, client)
            if (withoutCredentials) await dropCredentials(client)
            const { rows } = await client.query<{ number: string }>('select number from event_epoch')
            epoch = Number(rows[0]!.number)
          },
        },
      )
      const counted = Object.values(rows).reduce((sum, count) => sum + count, 0)
      const { files, missingFiles } = end!
      const { takenAt, foyer } = header
      return {
        takenAt,
        foyer,
        tables: tables.length,
        rows: counted,
        files,
        missingFiles,
        epoch: showEpoch(epoch),
      }
    } finally {
      await release()
    }
  } catch (cause) {
    if (!(cause instanceof DamagedBackup)) throw cause
    throw new StartError(`${file} is damaged or incomplete, so nothing was restored: ${cause.message}.`, {
      cause,
    })
  } finally {
    source.destroy()
  }
}

const readHeader = async (file: string, section: Section): Promise<BackupHeader> => {
  if (section.name !== HEADER_NAME) throw new StartError(`${file} isn't a backup made by foyer backup.`)
  const header = await readJsonSection<BackupHeader>(section)
  if (header.format !== BACKUP_FORMAT) throw new StartError(`${file} isn't a backup made by foyer backup.`)
  const known = new Set(await readdir(MIGRATIONS))
  if (header.version > BACKUP_VERSION || header.migrations.some((name) => !known.has(name)))
    throw new StartError(
      `${file} was made by a newer version of Foyer (${header.foyer}). Restore it with that version.`,
    )
  return header
}

/** Before anything is created: a new installation has no key yet, and must not get another one. */
const checkKey = async (
  config: Config,
  { keyCheck, takenAt }: BackupHeader,
  withoutCredentials: boolean,
): Promise<void> => {
  if (withoutCredentials) {
    await findSecretKey(config)
    return
  }
  const key = await readSecretKey(config)
  if (key !== undefined && makeSeal(key).verify(KEY_CHECK, takenAt, keyCheck)) return
  const where = config.databaseUrl ? 'in SECRET_KEY' : `in SECRET_KEY or ${config.dataDir}/secret.key`
  throw new StartError(
    `The backup's credentials were encrypted with another SECRET_KEY, which is not in the backup. Put the original key ${where}, or add --without-credentials and enter the channels' credentials again.`,
  )
}

type Restoring = {
  header: BackupHeader
  next: () => Promise<Section>
  config: Config
  hash: ReturnType<typeof createHash>
  say: (line: string) => void
}

/** PostgreSQL's class of codes for content that can't be what a table had. */
const DATA_EXCEPTIONS = '22'

const loadTables = async (
  { header, next, say }: Restoring,
  { load }: BulkLoad,
): Promise<Record<string, number>> => {
  const rows: Record<string, number> = {}
  const progress = makeProgress(say)
  for (const table of header.tables) {
    const { name, content } = await next()
    if (name !== tableSection(table.name)) throw new DamagedBackup(`the table ${table.name} is missing`)
    rows[table.name] = await load(table, content).catch((error: Error & { code?: string }) => {
      if (error.code?.startsWith(DATA_EXCEPTIONS)) throw new DamagedBackup(error.message, { cause: error })
      throw error
    })
    progress(`restored the table ${table.name}`)
  }
  return rows
}

/** Until the end of the backup, which tells whether all of it was there. */
const loadFiles = async ({ next, config, hash, say }: Restoring, client: Connection): Promise<BackupEnd> => {
  const files = openFiles(config)
  const progress = makeProgress(say)
  for (let count = 0; ; count++) {
    const section = await next()
    if (section.name === END_NAME) {
      const end = await readJsonSection<BackupEnd>(section)
      if (end.sha256 !== hash.digest('hex') || end.files !== count)
        throw new DamagedBackup('its content is not what was written')
      return end
    }
    const key = keyOfSection(section.name)
    if (key === undefined) throw new DamagedBackup(`it has an unknown part ${section.name}`)
    await files.put(key, Readable.from(section.content, { objectMode: false }), {
      mimeType: await findMimeType(client, key),
    })
    progress(`restored ${count + 1} files`)
  }
}
