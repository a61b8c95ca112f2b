// Migrates the queue's own tables. They record the version of the library that created them, so that a start with
// nothing to do need not load it.
import pg from 'pg'
import { poolConfigOf } from '../db/connection.ts'

const LOCK = 7_030_005

/** The library's and its version; a test compares it with what is installed. */
export const QUEUE_LIBRARY = 'graphile-worker 0.18.0'

/** Several processes may call it at once. */
export const migrateJobs = async (connectionString: string): Promise<void> => {
  const pool = new pg.Pool({
    ...poolConfigOf({
      connectionString,
      applicationName: 'foyer migrate',
      statementTimeoutMs: 0,
    }),
    max: 1,
  })
  // The library looks for both and logs it to standard error.
  pool.on('error', () => {})
  pool.on('connect', () => {})
  try {
    const { rows } = await pool.query<{ version: string | null }>(
      `select obj_description(to_regnamespace('graphile_worker'), 'pg_namespace') as version`,
    )
    if (rows[0]!.version === QUEUE_LIBRARY) return
    const { Logger, runMigrations } = await import('graphile-worker')
    await runMigrations({ pgPool: pool, logger: new Logger(() => () => {}) })
    // Two at a time would make each other fail.
    await pool.query(
      `begin; select pg_advisory_xact_lock(${LOCK}); comment on schema graphile_worker is ${pg.escapeLiteral(QUEUE_LIBRARY)}; commit`,
    )
  } finally {
    await pool.end()
  }
}
