// What moving and restoring have in common: the database that receives the data, checked, locked and filled in one
// transaction.
import { adoptFeed } from '../domain/feed/adopt-feed.ts'
import type { Connection } from '../platform/db/connection.ts'
import { type BulkLoad, beginBulkLoad } from '../platform/db/copy/bulk-load.ts'
import {
  type CopiedSequence,
  type CopiedTable,
  checkIsEmpty,
  compareTables,
  listCopiedTables,
  listMigrations,
} from '../platform/db/copy/catalog.ts'
import { checkIsUnused, openCopyConnection } from '../platform/db/copy/sessions.ts'
import { holdMigrations, migrate } from '../platform/db/migrate.ts'
import { migrateJobs } from '../platform/queue/migrate-jobs.ts'
import { StartError } from '../platform/start-error.ts'

/** Held while data is copied from or to a database. */
const COPY_LOCK = 7_030_010

export const lockForCopying = async (client: Connection, what: string): Promise<void> => {
  const { rows } = await client.query<{ is: boolean }>('select pg_try_advisory_lock($1) as is', [COPY_LOCK])
  if (!rows[0]!.is)
    throw new StartError(`${what} is the database that is copied, or another command is copying to it.`)
}

type Target = {
  connectionString: string
  /** As messages name it, at the beginning of a sentence. */
  what: string
  /** Whatever is in it may be deleted. */
  replace: boolean
  tables: readonly CopiedTable[]
  /** Only these migrations, for the backup of an earlier version. */
  migrations?: readonly string[]
  say: (line: string) => void
}

/**
 * Fills the target. `work` loads every table and returns the sequences; `beforeCommit` sees the result. Throws
 * StartError, with nothing changed but migrations, if the target is in use, isn't empty or has another schema.
 */
export const fillDatabase = async <T>(
  { connectionString, what, replace, tables, migrations, say }: Target,
  {
    work,
    beforeCommit,
  }: {
    work: (load: BulkLoad, client: Connection) => Promise<{ sequences: readonly CopiedSequence[]; result: T }>
    /** Everything is there by now. Throws if it must not be committed. */
    beforeCommit: (client: Connection) => Promise<void>
  },
): Promise<T> => {
  const client = await openCopyConnection(connectionString, 'foyer copy')
  try {
    await lockForCopying(client, what)
    await checkIsUnused(client, what)
    if (!replace) await checkIsEmpty(client, what)
    await migrate(connectionString, { say, ...(migrations && { only: migrations }) })
    await migrateJobs(connectionString)
    await holdMigrations(client, { say })
    if (migrations && (await listMigrations(client)).join() !== migrations.join())
      throw new StartError(
        `${what} was already used by a newer version than the backup's. Use a database that Foyer has not used yet.`,
      )
    compareTables(tables, await listCopiedTables(client))
    const load = await beginBulkLoad(client, tables)
    const { sequences, result } = await work(load, client)
    await load.finish(sequences)
    await adoptFeed(client)
    await beforeCommit(client)
    await client.query('commit')
    // Until it has been analyzed, a new table's plans are poor.
    await client.query('analyze')
    return result
  } finally {
    await client.end().catch(() => {})
  }
}
