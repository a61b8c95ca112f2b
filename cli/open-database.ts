// The database for one command: the one that the settings name, brought up to date first. A private one is shared with
// a server that runs, or started for as long as the command takes.
import { channels } from '../channels/index.ts'
import type { Config } from '../server/config.ts'
import type { Ctx } from '../server/ctx.ts'
import { openDatabase } from '../server/db/connect.ts'
import { newId } from '../server/db/id.ts'
import { migrate } from '../server/db/migrate.ts'
import { type Db, makeDb, makePool } from '../server/db/pool.ts'
import { invalid } from '../server/errors.ts'
import { silentStream } from '../server/events/stream.ts'
import { openFiles } from '../server/files/open-files.ts'
import { findWorkspace } from '../server/resources/workspaces/queries.ts'
import { makeSeal } from '../server/seal.ts'
import { findSecretKey } from '../server/secret-key.ts'

const CONNECTIONS_MAX = 2

export type CommandDatabase = {
  db: Db
  connectionString: string
  now: () => Date
  newId: () => string
  /** The migrations that this command applied. */
  applied: string[]
  /** A context for operations in a workspace. Throws VALIDATION_ERROR on `workspace` when there is none of that id. */
  ctxOf(workspaceId: string): Promise<Ctx>
}

/** Runs `work` with the database and lets go of it, whatever comes. */
export const withDatabase = async <T>(
  config: Config,
  work: (database: CommandDatabase) => Promise<T>,
): Promise<T> => {
  const { connectionString, release } = await openDatabase(config, () => {})
  try {
    const applied = await migrate(connectionString)
    const pool = makePool({ connectionString, max: CONNECTIONS_MAX })
    const db = makeDb(pool)
    const deps = { db, now: () => new Date(), newId: () => newId() }
    try {
      return await work({
        ...deps,
        connectionString,
        applied,
        ctxOf: async (workspaceId) => {
          if (!(await findWorkspace(db, workspaceId)))
            throw invalid({ field: 'workspace', message: 'names no workspace' })
          return {
            ...deps,
            searchDb: db,
            channels,
            workspaceId,
            actor: { type: 'operator' },
            log: silentLog,
            stream: silentStream,
            seal: makeSeal(await findSecretKey(config)),
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

/** A command answers on standard output and standard error; there is no log that anybody would read. */
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
