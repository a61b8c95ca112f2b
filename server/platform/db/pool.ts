// The connection pool. Every statement is named (by a hash of its text), so that the server parses and plans it once
// per connection; see docs/decisions for the two planner settings.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { CHECK_SETTINGS } from './check-writable.ts'
import { poolConfigOf } from './connection.ts'
import { CLOSED_SQLSTATE } from './failures.ts'
import { makeFairShare } from './fair-share.ts'
import type { Tables } from './tables.ts'

export type Db = Kysely<Tables>

const TIMESTAMPTZ = 1184
const INT8 = 20

/** `2026-11-21 02:47:42.1+00` → `2026-11-21T02:47:42.100Z`. The session's time zone is UTC. */
const toIso = (text: string): string =>
  `${text.slice(0, 10)}T${text.slice(11, 19)}.${text.slice(20, -3).padEnd(3, '0')}Z`

const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => {
    if (oid === TIMESTAMPTZ) return toIso
    if (oid === INT8) return Number
    return pg.types.getTypeParser(oid, format as 'text')
  },
}

type PoolOptions = {
  connectionString: string
  max?: number
  /** The server cancels longer statements. */
  statementTimeoutMs?: number
  onError?: (error: Error) => void
  applicationName?: string
  settings?: Readonly<Record<string, string>>
}

/** A connection takes 2 to 5 MB of the server's memory. The most recently used is taken first, so the others get old. */
const IDLE_MS = 20_000
/** One workspace may use ten of them; see fair-share.ts. */
const CONNECTIONS = 14

// Without the first, the server replans a statement with a workspace parameter at every call (2x); without the
// second, a list under LIMIT pays for a hash table sized for the whole workspace (2x). JIT compilation costs more
// than any of our statements.
const PLANNING = { plan_cache_mode: 'force_generic_plan', enable_memoize: 'off', jit: 'off' }

export const makePool = ({
  connectionString,
  max = CONNECTIONS,
  statementTimeoutMs,
  onError,
  applicationName = 'foyer',
  settings,
}: PoolOptions) => {
  const pool = new pg.Pool({
    ...poolConfigOf({
      connectionString,
      applicationName,
      settings: { ...PLANNING, ...settings },
      types,
      ...(statementTimeoutMs !== undefined && { statementTimeoutMs }),
    }),
    max,
    idleTimeoutMillis: IDLE_MS,
  })
  // A broken idle connection must not end the process; the next query opens another.
  pool.on('error', (error) => onError?.(error))
  closeBeforeEnd(pool)
  return pool
}

/** An unresponsive server never closes its connections. */
const CLOSE_MAX_MS = 1_000

/**
 * The library's `end` resolves before the connections are closed, and a server stopping then sends each of them an
 * error.
 */
const closeBeforeEnd = (pool: pg.Pool): void => {
  const open = new Set<pg.PoolClient>()
  pool.on('connect', (client) => open.add(client))
  pool.on('remove', (client) => open.delete(client))
  const end = pool.end.bind(pool)
  const close = async (): Promise<void> => {
    await end()
    const signal = AbortSignal.timeout(CLOSE_MAX_MS)
    while (open.size > 0 && !signal.aborted) await once(pool, 'remove', { signal }).catch(() => {})
  }
  // Nobody here uses the callback form.
  pool.end = close as typeof pool.end
}

/**
 * How long a search may use an index before it falls back to walking; see
 * domain/conversations/search-conversations.ts.
 */
const SEARCH_BUDGET_MS = 60
/** The limit to which a search may raise its own; see domain/conversations/patiently.ts. */
export const SEARCH_PATIENCE_MS = 5_000
const SEARCH_CONNECTIONS = 4

export const makeSearchPool = (
  options: Pick<PoolOptions, 'connectionString' | 'onError' | 'applicationName'>,
) =>
  makePool({
    ...options,
    max: SEARCH_CONNECTIONS,
    statementTimeoutMs: SEARCH_PATIENCE_MS,
    settings: { statement_timeout: String(SEARCH_BUDGET_MS) },
  })

const READS_SESSION = 'foyer (reads)'

/** For reads that a replica may answer. */
export const makeReplicaPool = (options: Pick<PoolOptions, 'connectionString' | 'onError'>) =>
  makePool({ ...options, applicationName: READS_SESSION })

/** The same for searches. */
export const makeReplicaSearchPool = (options: Pick<PoolOptions, 'connectionString' | 'onError'>) =>
  makeSearchPool({ ...options, applicationName: READS_SESSION })

const OPERATIONS_TIMEOUT_MS = 2_000
const OPERATIONS_CONNECTIONS = 2

/** For health and metrics. */
export const makeOperationsPool = (options: Pick<PoolOptions, 'connectionString' | 'onError'>) =>
  makePool({
    ...options,
    max: OPERATIONS_CONNECTIONS,
    statementTimeoutMs: OPERATIONS_TIMEOUT_MS,
    applicationName: 'foyer operations',
    settings: CHECK_SETTINGS,
  })

const names = new Map<string, string>()

const statementName = (text: string): string => {
  let name = names.get(text)
  if (!name) {
    name = createHash('sha1').update(text).digest('base64url').slice(0, 16)
    names.set(text, name)
  }
  return name
}

/**
 * A transaction may send another statement in the same round trip; see horizon.ts. Such a script has no parameters.
 */
export const SCRIPT = 'begin;'

/** The types don't cover scripts, which return a result per statement. */
const lastOf = (results: pg.QueryResult | pg.QueryResult[]): pg.QueryResult =>
  Array.isArray(results) ? results.at(-1)! : results

/** Looks at a connection before its first statement; rejects if it must not be used. */
type Admit = (client: pg.PoolClient) => Promise<void>

type Statement = { name: string; text: string; values: unknown[] }

/**
 * A statement over all workspaces that met a closed one (closed-workspaces.ts) is run again without its rows. Inside a
 * transaction it fails.
 */
const runBesideClosed = async (client: pg.PoolClient, statement: Statement): Promise<pg.QueryResult> => {
  try {
    return await client.query(statement)
  } catch (error) {
    if ((error as { code?: string }).code !== CLOSED_SQLSTATE || client.getTransactionStatus() !== 'I')
      throw error
    await client.query("begin; set local foyer.closed = 'skip'")
    try {
      return await client.query(statement)
    } finally {
      await client.query('commit').catch(() => {})
    }
  }
}

type Root = {
  db: Db
  ofWorkspace: (workspaceId: string) => Db
  admitting: (workspaceId: string | null, admit: Admit) => Db
  countWaiting: () => number
  isOverloaded: (workspaceId: string) => boolean
}

/** The database that a workspace's database was derived from, or itself. */
const roots = new WeakMap<Db, Root>()

/** Workspace databases kept in memory: each is a small object, recreated when needed. */
const KEPT_MAX = 1_000

/**
 * Kysely over the pool, with every statement named. A text must not grow with its data: lists are passed as one
 * array.
 */
export const makeDb = (pool: pg.Pool, onQuery?: (text: string) => void): Db => {
  const share = makeFairShare(pool.options?.max ?? CONNECTIONS)
  const kept = new Map<string, Db>()
  const take = async (workspaceId: string | null, admit?: Admit): Promise<pg.PoolClient> => {
    if (workspaceId !== null) await share.take(workspaceId)
    let client: pg.PoolClient | undefined
    try {
      client = await pool.connect()
      await admit?.(client)
      return client
    } catch (error) {
      client?.release()
      if (workspaceId !== null) share.giveBack(workspaceId)
      throw error
    }
  }
  const make = (workspaceId: string | null, admit?: Admit): Db =>
    new Kysely<Tables>({
      dialect: new PostgresDialect({
        pool: {
          connect: async () => {
            const client = await take(workspaceId, admit)
            // Kysely's type requires more of a client than Kysely calls.
            return {
              query: (text: string, values: unknown[]) => {
                onQuery?.(text)
                if (text.startsWith(SCRIPT)) return client.query(text).then(lastOf)
                const statement = { name: statementName(text), text, values }
                return workspaceId === null ? runBesideClosed(client, statement) : client.query(statement)
              },
              release: () => {
                client.release()
                if (workspaceId !== null) share.giveBack(workspaceId)
              },
            } as unknown as PostgresPoolClient
          },
          end: () => pool.end(),
          options: pool.options,
        },
      }),
    })
  const root: Root = {
    db: make(null),
    ofWorkspace: (workspaceId) => {
      const found = kept.get(workspaceId)
      if (found) return found
      if (kept.size >= KEPT_MAX) kept.clear()
      const made = make(workspaceId)
      kept.set(workspaceId, made)
      roots.set(made, root)
      return made
    },
    admitting: make,
    countWaiting: () => pool.waitingCount + share.countWaiting(),
    isOverloaded: share.isOverloaded,
  }
  roots.set(root.db, root)
  return root.db
}

/** The same database for one workspace, limited to its share of the connections. */
export const dbOf = (db: Db, workspaceId: string): Db => roots.get(db)?.ofWorkspace(workspaceId) ?? db

/** The same for one call, or with null all connections, of which it only gets those that `admit` lets pass. */
export const dbAdmitting = (db: Db, workspaceId: string | null, admit: Admit): Db =>
  roots.get(db)!.admitting(workspaceId, admit)

/** The database that a workspace's was derived from; state about all workspaces is kept by it. */
export const rootOf = (db: Db): Db => roots.get(db)?.db ?? db

/** Requests and jobs waiting for a connection. */
export const countWaiting = (db: Db): number => roots.get(db)?.countWaiting() ?? 0

/** Whether a request of the workspace would wait so long for a connection that it should be rejected now. */
export const isOverloaded = (db: Db, workspaceId: string): boolean =>
  roots.get(db)?.isOverloaded(workspaceId) ?? false
