// The data set in a PostgreSQL of its own, with somebody signed in to the console. BENCH_DIR keeps it, for other
// benchmarks too; BENCH_SIZE says how large it is.
import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import pg from 'pg'
import { startEmbedded } from '../server/platform/db/embedded.ts'
import { migrate } from '../server/platform/db/migrate.ts'
import { hashSecret } from '../server/platform/hash-secret.ts'
import { FULL, makeDataSet, type Sizes } from './data-set.ts'
import { log, type Server, startFoyer, stop } from './foyer.ts'

const ADMIN = 'agent1@workspace0.example'

/** By BENCH_SIZE; without it, three million messages. */
const NAMED = {
  small: { contacts: 2_000, conversations: 3_000, messagesPerConversation: 10, smallWorkspaces: 2 },
  million: { contacts: 67_000, conversations: 100_000, messagesPerConversation: 10, smallWorkspaces: 2 },
  three: FULL,
  ten: { contacts: 1_000_000, conversations: 1_000_000, messagesPerConversation: 10, smallWorkspaces: 50 },
} satisfies Record<string, Sizes>

const sizeNamed = (name: string): Sizes => {
  const sizes: Sizes | undefined = { ...NAMED }[name]
  if (!sizes) throw new Error(`BENCH_SIZE may be ${Object.keys(NAMED).join(', ')}`)
  return sizes
}

export const SIZES: Sizes = sizeNamed(process.env.BENCH_SIZE || 'three')

/** Ten million messages have a page of their own, beside that of three. */
export const nameOfResults = (name: string): string =>
  process.env.BENCH_SIZE === 'ten' ? `${name}-ten-million` : name

export type Place = {
  workspaceId: string
  client: pg.Client
  /** As `producedBy` names it. */
  postgres: string
  /** The process that started all of PostgreSQL's others. */
  postgresPid: number
  /** An admin's. */
  cookie: string
  /** Starts Foyer on it, once all of it is on the disk, with these arguments for `foyer serve`. */
  start: (...args: string[]) => Promise<Server>
}

export const onDataSet = async (
  name: string,
  sizes: Sizes,
  work: (place: Place) => Promise<void>,
): Promise<void> => {
  const kept = process.env.BENCH_DIR
  const dataDir = kept ? resolve(kept) : mkdtempSync(join(tmpdir(), `foyer-bench-${name}-`))
  if (!existsSync(dataDir)) mkdirSync(dataDir, { recursive: true })
  // As root, the database runs as another user, who must be able to enter.
  chmodSync(dataDir, 0o755)
  const postgres = await startEmbedded({ dataDir })
  let server: Server | undefined
  const client = new pg.Client({ connectionString: postgres.connectionString })
  try {
    await migrate(postgres.connectionString)
    const { workspaceId } = await makeDataSet(postgres.connectionString, sizes, log)
    await client.connect()
    const cookie = await signIn(client)
    const { rows } = await client.query<{ version: string }>(
      `select current_setting('server_version') as version`,
    )
    // The first connection to read a page of a new table writes its hint bits; no measurement should include that.
    await client.query('select count(*) from messages')
    await work({
      workspaceId,
      client,
      cookie,
      postgresPid: Number.parseInt(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8'), 10),
      postgres: `PostgreSQL ${rows[0]!.version} (the private one)`,
      start: async (...args) => {
        await client.query('checkpoint')
        server = await startFoyer(dataDir, { args })
        return server
      },
    })
  } finally {
    if (server) await stop(server.child)
    await client.end()
    await postgres.release()
    if (!kept) rmSync(dataDir, { recursive: true, force: true })
  }
}

/** The cookie of somebody who has just signed in. */
const signIn = async (client: pg.Client): Promise<string> => {
  const secret = randomBytes(32).toString('base64url')
  await client.query(
    `insert into sessions (hash, account_id, created_at, seen_at)
     select $1, id, now(), now() from accounts where email = $2`,
    [hashSecret(secret), ADMIN],
  )
  return `foyer_session=${secret}`
}

/** What the data set holds, for a table of results. */
export const describeSizes = ({ contacts, conversations, messagesPerConversation }: Sizes): string => {
  const [people, threads, messages] = [contacts, conversations, conversations * messagesPerConversation].map(
    (count) => count.toLocaleString('en-US'),
  )
  return `one workspace of ${people} contacts, ${threads} conversations and ${messages} messages`
}
