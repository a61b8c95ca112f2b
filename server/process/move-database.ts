// Moves everything from the configured database to an empty one of the operator's.
import { pipeline } from 'node:stream/promises'
import type { Connection } from '../platform/db/connection.ts'
import type { BulkLoad } from '../platform/db/copy/bulk-load.ts'
import type { CopiedTable } from '../platform/db/copy/catalog.ts'
import { makeMeter, measureTable } from '../platform/db/copy/measure.ts'
import { makeProgress } from '../platform/db/copy/progress.ts'
import { checkIsUnused, openCopyConnection } from '../platform/db/copy/sessions.ts'
import { beginSnapshot, readTable } from '../platform/db/copy/snapshot.ts'
import { holdMigrations, migrate } from '../platform/db/migrate.ts'
import { checkNotMoved, setMovedTo } from '../platform/live/moved.ts'
import { migrateJobs } from '../platform/queue/migrate-jobs.ts'
import { StartError } from '../platform/start-error.ts'
import type { Config } from './config.ts'
import { fillDatabase, lockForCopying } from './copied-database.ts'
import { checkServer, openDatabase } from './open-database.ts'
import { showAddress } from './show-address.ts'

type Options = { to: string; replace: boolean; say: (line: string) => void }

export type Moved = { tables: number; rows: number; bytes: number; to: string }

/**
 * Copies the database as it is, compares both copies, and marks the old one as moved, so that no server starts on it by
 * mistake. Killed before the end, it leaves the target without data. Throws StartError.
 */
export const moveDatabase = async (config: Config, { to, replace, say }: Options): Promise<Moved> => {
  await checkServer(to, '--to')
  const { connectionString, release } = await openDatabase(config, say)
  const source = await openCopyConnection(connectionString, 'foyer database move')
  try {
    const what = config.databaseUrl ? 'The database in DATABASE_URL' : `The database in ${config.dataDir}`
    await lockForCopying(source, what)
    await migrate(connectionString, { say })
    await migrateJobs(connectionString)
    await holdMigrations(source, { say })
    await checkNotMoved(source)
    await checkIsUnused(source, what)
    const snapshot = await beginSnapshot(source)
    const copied = await fillDatabase(
      { connectionString: to, what: 'The database in --to', replace, tables: snapshot.tables, say },
      {
        work: async (load, target) => ({
          sequences: snapshot.sequences,
          result: await copyTables({ source, target, load }, snapshot.tables, say),
        }),
        beforeCommit: async () => {
          await source.query('rollback')
          // What it has written since is not in the copy.
          await checkIsUnused(source, what)
        },
      },
    )
    const address = showAddress(to)
    await setMovedTo(source, address)
    return { ...copied, to: address }
  } finally {
    await source.end().catch(() => {})
    await release()
  }
}

type Copying = { source: Connection; target: Connection; load: BulkLoad }

const copyTables = async (
  { source, target, load }: Copying,
  tables: readonly CopiedTable[],
  say: (line: string) => void,
): Promise<Omit<Moved, 'to'>> => {
  const counts = { tables: tables.length, rows: 0, bytes: 0 }
  const progress = makeProgress(say)
  for (const table of tables) {
    const meter = makeMeter()
    const reading = pipeline(readTable(source, table), meter.stream)
    const [rows] = await Promise.all([load.load(table, meter.stream), reading])
    const read = meter.measured()
    const written = await measureTable(target, table)
    if (written.sha256 !== read.sha256)
      throw new StartError(`The copy of ${table.name} differs from the original, so nothing was moved.`)
    counts.rows += rows
    counts.bytes += read.bytes
    progress(`copied ${counts.rows} rows, up to the table ${table.name}`)
  }
  return counts
}
