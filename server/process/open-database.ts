// The configured database: the bundled one of the data directory, or an external one, which is checked first.

import { type Connection, makeConnection } from '../platform/db/connection.ts'
import { startEmbedded } from '../platform/db/embedded.ts'
import { StartError } from '../platform/start-error.ts'
import type { Config } from './config.ts'

const VERSION_MIN = 15
const CHECK_TIMEOUT_MS = 10_000

export type Database = {
  connectionString: string
  isEmbedded: boolean
  /** Releases the bundled server; does nothing for an external one. */
  release: () => Promise<void>
}

/** Throws StartError or EmbeddedPostgresError, with a one-line message each. */
export const openDatabase = async (
  { databaseUrl, dataDir }: Pick<Config, 'databaseUrl' | 'dataDir'>,
  say: (line: string) => void,
): Promise<Database> => {
  if (databaseUrl === null) return { ...(await startEmbedded({ dataDir, log: say })), isEmbedded: true }
  await checkServer(databaseUrl)
  return { connectionString: databaseUrl, isEmbedded: false, release: async () => {} }
}

/** Throws StartError unless it is a PostgreSQL that Foyer can use. `setting` is what named it. */
export const checkServer = async (connectionString: string, setting = 'DATABASE_URL'): Promise<void> => {
  const what = `The database in ${setting}`
  let client: Connection
  try {
    client = makeConnection({
      connectionString,
      applicationName: 'foyer',
      statementTimeoutMs: CHECK_TIMEOUT_MS,
    })
  } catch (error) {
    throw new StartError(`${setting} cannot be used: ${(error as Error).message}`, { cause: error })
  }
  let version: number
  let encoding: string | undefined
  let isReadOnly: boolean | undefined
  let keepsSessions: boolean
  try {
    await client.connect()
    const { rows } = await client.query<{ version: string; encoding: string; isReadOnly: boolean }>(
      `select current_setting('server_version_num') as version, current_setting('server_encoding') as encoding,
         current_setting('transaction_read_only') = 'on' as "isReadOnly"`,
    )
    version = Math.floor(Number(rows[0]?.version) / 10_000)
    ;({ encoding, isReadOnly } = rows[0]!)
    keepsSessions = !client.isPooled || (await hasSessionOfItsOwn(client, connectionString))
  } catch (error) {
    throw new StartError(`${what} cannot be reached: ${reasonOf(error)}`, {
      cause: error,
    })
  } finally {
    client.end().catch(() => {})
  }
  if (!keepsSessions)
    throw new StartError(
      `${setting} points to a pooler that shares sessions between clients, but Foyer needs a session for each connection. Set pool_mode=session (PgBouncer), or connect to PostgreSQL directly.`,
    )
  if (isReadOnly) throw new StartError(`${what} is read-only. Use the server that accepts writes.`)
  if (version < VERSION_MIN)
    throw new StartError(`${what} is PostgreSQL ${version}. Foyer needs ${VERSION_MIN} or newer.`)
  // Any other encoding can't store all text that customers write, and requests would fail with 500.
  if (encoding !== 'UTF8') throw new StartError(`${what} uses the encoding ${encoding}. Foyer needs UTF8.`)
}

const LOOKS = 3

/**
 * Whether a pooler keeps this client on its server. Another client holds one in a transaction meanwhile: a sharing
 * pooler gives it ours, or gives us a different one for our next statement.
 */
const hasSessionOfItsOwn = async (client: Connection, connectionString: string): Promise<boolean> => {
  const other = makeConnection({
    connectionString,
    applicationName: 'foyer',
    statementTimeoutMs: CHECK_TIMEOUT_MS,
  })
  const pidOf = async (connection: Connection): Promise<number> =>
    (await connection.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]!.pid
  try {
    await other.connect()
    await other.query('begin')
    const held = await pidOf(other)
    for (let look = 0; look < LOOKS; look++) {
      const pid = await pidOf(client)
      if (pid !== client.pid || pid === held) return false
    }
    return held !== client.pid
  } finally {
    other.end().catch(() => {})
  }
}

/** A host name with several addresses fails with one error for each and no message of its own. */
const reasonOf = (error: unknown): string => {
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return reasonOf(error.errors[0])
  const { message, code } = error as Error & { code?: string }
  return (message || code || 'no reason given').split('\n', 1)[0]!
}
