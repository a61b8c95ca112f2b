// The connection to PostgreSQL. Every statement runs named (the name is a hash of its text), so that the server parses
// and plans it once for each connection; see docs/decisions for the two planner settings.
import { createHash } from 'node:crypto'
import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely'
import pg from 'pg'
import type { Tables } from './tables.ts'

export type Db = Kysely<Tables>

const TIMESTAMPTZ = 1184
const INT8 = 20

/** `2026-11-21 02:47:42.1+00` → `2026-11-21T02:47:42.100Z`. The session's time zone is UTC. */
export const toIso = (text: string): string =>
  `${text.slice(0, 10)}T${text.slice(11, 19)}.${text.slice(20, -3).padEnd(3, '0')}Z`

const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => {
    if (oid === TIMESTAMPTZ) return toIso
    if (oid === INT8) return Number
    return pg.types.getTypeParser(oid, format as 'text')
  },
}

export type PoolOptions = {
  connectionString: string
  max?: number
  /** The server stops a statement that runs longer. */
  statementTimeoutMs?: number
  onError?: (error: Error) => void
}

/** How much later than its own timeout a server that says nothing at all is given up: frozen, or behind a dead line. */
const SILENCE_MS = 2_000

export const makePool = ({
  connectionString,
  max = 10,
  statementTimeoutMs = 15_000,
  onError,
}: PoolOptions) => {
  const pool = new pg.Pool({
    connectionString,
    max,
    types,
    application_name: 'foyer',
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + SILENCE_MS,
    // Without the first, the server plans a statement with a workspace parameter anew at every call (2x); without the
    // second, a list under LIMIT pays for a hash table sized for the whole workspace (2x). Compiling a plan costs more
    // than any of ours runs.
    options: '-c plan_cache_mode=force_generic_plan -c enable_memoize=off -c jit=off -c timezone=UTC',
  })
  // An idle connection that breaks must not end the process; the next query opens another.
  pool.on('error', (error) => onError?.(error))
  // One that breaks between two statements of its user must not either; that user's next statement fails.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/** How long a search may use an index before it goes on by walking; see resources/conversations/search-conversations.ts. */
const SEARCH_BUDGET_MS = 60
const SEARCH_CONNECTIONS = 4

export const makeSearchPool = (options: Pick<PoolOptions, 'connectionString' | 'onError'>) =>
  makePool({ ...options, max: SEARCH_CONNECTIONS, statementTimeoutMs: SEARCH_BUDGET_MS })

const names = new Map<string, string>()

const statementName = (text: string): string => {
  let name = names.get(text)
  if (!name) {
    name = createHash('sha1').update(text).digest('base64url').slice(0, 16)
    names.set(text, name)
  }
  return name
}

/** Kysely over the pool, every statement named. A text must not grow with its data: lists go in as one array. */
export const makeDb = (pool: pg.Pool, onQuery?: (text: string) => void): Db =>
  new Kysely<Tables>({
    dialect: new PostgresDialect({
      pool: {
        connect: async () => {
          const client = await pool.connect()
          let silence: Error | undefined
          return {
            query: async (text: string, values: unknown[]) => {
              onQuery?.(text)
              // What follows on such a connection, a rollback for example, would wait as long again.
              if (silence) throw silence
              try {
                return await client.query({ name: statementName(text), text, values })
              } catch (error) {
                if (error instanceof Error && error.message === 'Query read timeout') silence = error
                throw error
              }
            },
            release: () => client.release(silence),
          } as unknown as PostgresPoolClient
        },
        end: () => pool.end(),
        options: pool.options,
      },
    }),
  })
