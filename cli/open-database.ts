// The configured database for one command, migrated first. A bundled one is shared with a running server, or started
// for the duration of the command.
import { channels } from '../channels/index.ts'
import { checkSecretKey } from '../server/domain/channel-accounts/check-secret-key.ts'
import { findWorkspace } from '../server/domain/workspaces/queries.ts'
import type { Ctx } from '../server/platform/ctx/ctx.ts'
import { databaseNow, measureClock } from '../server/platform/db/clock.ts'
import { checkOpen } from '../server/platform/db/closed-workspaces.ts'
import { newIdAfter, timeOfId } from '../server/platform/db/id.ts'
import { migrate } from '../server/platform/db/migrate.ts'
import { type Db, makeDb, makePool } from '../server/platform/db/pool.ts'
import { invalid } from '../server/platform/errors.ts'
import { checkNotMoved } from '../server/platform/live/moved.ts'
import { silentStream } from '../server/platform/live/stream.ts'
import { migrateJobs } from '../server/platform/queue/migrate-jobs.ts'
import { makeSeal } from '../server/platform/seal.ts'
import type { Config } from '../server/process/config.ts'
import { openDatabase } from '../server/process/open-database.ts'
import { openFiles } from '../server/process/open-files.ts'
import { findSecretKeys } from '../server/process/secret-key.ts'

const CONNECTIONS_MAX = 2

export type CommandDatabase = {
  db: Db
  connectionString: string
  now: () => Date
  newId: Ctx['newId']
  /** The migrations applied by this command. */
  applied: string[]
  /**
   * A context for operations in a workspace. Throws VALIDATION_ERROR on `workspace` if there is none with that id.
   */
  ctxOf(workspaceId: string): Promise<Ctx>
}

/** Runs `work` with the database and always releases it. A moved one is only opened if the command says so. */
export const withDatabase = async <T>(
  config: Config,
  work: (database: CommandDatabase) => Promise<T>,
  { mayBeMoved = false } = {},
): Promise<T> => {
  const { connectionString, release } = await openDatabase(config, () => {})
  try {
    const applied = await migrate(connectionString, { say: (line) => process.stderr.write(`${line}\n`) })
    await migrateJobs(connectionString)
    const pool = makePool({ connectionString, max: CONNECTIONS_MAX })
    const db = makeDb(pool)
    const deps = { db, now: databaseNow, newId: newIdAfter, createdAt: timeOfId }
    try {
      if (!mayBeMoved) await checkNotMoved(pool)
      await measureClock(db)
      return await work({
        ...deps,
        connectionString,
        applied,
        ctxOf: async (workspaceId) => {
          if (!(await findWorkspace(db, workspaceId)))
            throw invalid({ field: 'workspace', message: 'is not the id of a workspace' })
          await checkOpen(db, workspaceId)
          const { key, former } = await findSecretKeys(config)
          const seal = makeSeal(key, former)
          await checkSecretKey(db, seal)
          return {
            ...deps,
            searchDb: db,
            channels,
            workspaceId,
            actor: { type: 'operator' },
            log: silentLog,
            stream: silentStream,
            seal,
            files: openFiles(config),
            publicUrl: config.publicUrl,
            afterCommit: null,
          }
        },
      })
    } finally {
      await pool.end()
    }
  } finally {
    await release()
  }
}

const ignore = () => {}

/**
 * A command reports on standard output and standard error; nobody would read a log. The type has more of pino than is
 * ever called.
 */
const silentLog: Ctx['log'] = {
  level: 'silent',
  silent: ignore,
  fatal: ignore,
  error: ignore,
  warn: ignore,
  info: ignore,
  debug: ignore,
  trace: ignore,
  child: () => silentLog,
} as unknown as Ctx['log']
