// The database that the settings name: the private one of the data directory, or an outside one that is checked first.
import pg from 'pg'
import type { Config } from '../config.ts'
import { StartError } from '../start-error.ts'
import { startEmbedded } from './embedded.ts'

const VERSION_MIN = 15
const CONNECT_TIMEOUT_MS = 10_000

export type Database = {
  connectionString: string
  isEmbedded: boolean
  /** Lets go of the private server; does nothing for an outside one. */
  release: () => Promise<void>
}

/** Throws StartError or EmbeddedPostgresError, one plain line each. */
export const openDatabase = async (
  { databaseUrl, dataDir }: Pick<Config, 'databaseUrl' | 'dataDir'>,
  say: (line: string) => void,
): Promise<Database> => {
  if (databaseUrl === null) return { ...(await startEmbedded({ dataDir, log: say })), isEmbedded: true }
  await checkServer(databaseUrl)
  return { connectionString: databaseUrl, isEmbedded: false, release: async () => {} }
}

const checkServer = async (connectionString: string): Promise<void> => {
  let client: pg.Client
  try {
    client = new pg.Client({
      connectionString,
      application_name: 'foyer',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    })
  } catch (error) {
    throw new StartError(`DATABASE_URL cannot be used: ${(error as Error).message}`, { cause: error })
  }
  client.on('error', () => {})
  let version: number
  let encoding: string | undefined
  try {
    await client.connect()
    const { rows } = await client.query<{ version: string; encoding: string }>(
      "select current_setting('server_version_num') as version, current_setting('server_encoding') as encoding",
    )
    version = Math.floor(Number(rows[0]?.version) / 10_000)
    encoding = rows[0]?.encoding
  } catch (error) {
    throw new StartError(`The database that DATABASE_URL names cannot be reached: ${reasonOf(error)}`, {
      cause: error,
    })
  } finally {
    client.end().catch(() => {})
  }
  if (version < VERSION_MIN)
    throw new StartError(
      `The database that DATABASE_URL names is PostgreSQL ${version}; Foyer needs ${VERSION_MIN} or newer.`,
    )
  // Any other cannot hold what customers write, and would answer their letters with 500.
  if (encoding !== 'UTF8')
    throw new StartError(
      `The database that DATABASE_URL names is encoded in ${encoding}; Foyer needs one in UTF8.`,
    )
}

/** A name with several addresses fails with one error for each of them and no message of its own. */
const reasonOf = (error: unknown): string => {
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return reasonOf(error.errors[0])
  const { message, code } = error as Error & { code?: string }
  return (message || code || 'no reason given').split('\n', 1)[0]!
}
