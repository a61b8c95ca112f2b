// The connections that copying uses, and whether anyone else is using the same database.
import { setTimeout as delay } from 'node:timers/promises'
import { StartError } from '../../start-error.ts'
import { type Connection, makeConnection } from '../connection.ts'

/** Nobody else is at work there, or only for a moment. */
const LOCK_TIMEOUT_MS = 10_000

/** For copying: its statements and pauses may take hours. */
export const openCopyConnection = async (
  connectionString: string,
  applicationName: string,
): Promise<Connection> => {
  const client = makeConnection({
    connectionString,
    applicationName,
    statementTimeoutMs: 0,
    lockTimeoutMs: LOCK_TIMEOUT_MS,
    settings: { idle_in_transaction_session_timeout: '0', synchronize_seqscans: 'off' },
  })
  await client.connect()
  return client
}

/** Whoever has just left may still be listed. */
const LEAVING_MS = 2_000
const LOOK_EVERY_MS = 100

/** Throws StartError if other connections of Foyer's are open in the database: a server, or another command. */
export const checkIsUnused = async (client: Connection, what: string): Promise<void> => {
  for (const endMs = performance.now() + LEAVING_MS; ; ) {
    // One that waits to migrate is not at work yet.
    const { rows } = await client.query<{ isUsed: boolean }>(
      `select exists (select from pg_stat_activity where datname = current_database()
         and application_name like 'foyer%' and application_name <> 'foyer migrate' and pid <> pg_backend_pid()) as "isUsed"`,
    )
    if (!rows[0]!.isUsed) return
    if (performance.now() > endMs)
      throw new StartError(
        `${what} is in use by a running Foyer. Stop every server and command that uses it, and try again.`,
      )
    await delay(LOOK_EVERY_MS)
  }
}
