// The queue's own connections. The library stops when it fails to record a job's outcome, and it never notices when
// the connection it listens on has silently died; both are handled here.
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { poolConfigOf } from '../db/connection.ts'
import { isDatabaseUnavailable } from '../db/failures.ts'

/** One listens, the others fetch jobs and record their outcomes. */
const CONNECTIONS = 4
/** Fetching and recording take milliseconds. */
const STATEMENT_TIMEOUT_MS = 5_000
const CLOSE_MAX_MS = 1_000
const CLOSE_LOOK_MS = 10
const RETRY_MIN_MS = 100
const RETRY_MAX_MS = 2_000
const HEARTBEAT_EVERY_MS = 2_000
const HEARTBEAT_TIMEOUT_MS = 2_000

/** The library's names of the statements that record outcomes, and ours: each is safe to repeat. */
const OUTCOME = /^(complete|fail|return)_job|^foyer_outcome/

type QueuePool = {
  pool: pg.Pool
  /** Whether some job's outcome has not reached the database yet. */
  hasOutcomesLeft: () => boolean
  close: () => Promise<void>
}

/** The connections are closed here: the library does not release the one it listens on when it stops. */
export const makeQueuePool = (connectionString: string): QueuePool => {
  const pool = new pg.Pool({
    ...poolConfigOf({
      connectionString,
      applicationName: 'foyer jobs',
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    }),
    max: CONNECTIONS,
  })
  const clients = new Set<pg.PoolClient>()
  const closing = new AbortController()
  let outcomesLeft = 0
  // A broken connection fails the query that uses it; the queue reconnects by itself.
  pool.on('error', () => {})
  pool.on('connect', (client) => {
    clients.add(client)
    client.once('end', () => clients.delete(client))
    keepAsking(client)
  })
  const connect = pool.connect.bind(pool)

  /** Connects on the first query, and reconnects when an outcome could not be recorded. */
  const makeLazyClient = () => {
    let client: pg.PoolClient | undefined
    const ask = async (query: pg.QueryConfig | string, values?: unknown[]) => {
      client ??= await connect()
      return client.query(query, values)
    }
    const insist = async (query: pg.QueryConfig, values?: unknown[]) => {
      outcomesLeft += 1
      try {
        for (let waitMs = RETRY_MIN_MS; ; waitMs = Math.min(waitMs * 2, RETRY_MAX_MS))
          try {
            return await ask(query, values)
          } catch (error) {
            if (closing.signal.aborted || !isDatabaseUnavailable(error)) throw error
            client?.release(true)
            client = undefined
            await delay(waitMs, undefined, { signal: closing.signal }).catch(() => {})
          }
      } finally {
        outcomesLeft -= 1
      }
    }
    return {
      query: (query: pg.QueryConfig | string, values?: unknown[]) =>
        typeof query === 'object' && OUTCOME.test(query.name ?? '')
          ? insist(query, values)
          : ask(query, values),
      release: (error?: Error | boolean) => client?.release(error),
    }
  }
  // The library takes a connection with a callback if it listens on it, and otherwise only queries and releases.
  pool.connect = ((callback?: Parameters<typeof connect>[0]) =>
    callback ? connect(callback) : Promise.resolve(makeLazyClient())) as unknown as typeof pool.connect

  const close = async (): Promise<void> => {
    const endMs = performance.now() + CLOSE_MAX_MS
    // The library does not wait for a job's completion to be recorded, not even when it stops.
    while (
      (outcomesLeft > 0 || pool.waitingCount > 0 || [...clients].some(isBusy)) &&
      performance.now() < endMs
    )
      await delay(CLOSE_LOOK_MS)
    closing.abort()
    pool.end().catch(() => {})
    // A pooled client is a client: only its type hides that it can be ended.
    const ending = [...clients].map((client) => (client as unknown as pg.Client).end().catch(() => {}))
    await Promise.race([Promise.all(ending), delay(CLOSE_MAX_MS, undefined, { ref: false })])
  }
  return { pool, hasOutcomesLeft: () => outcomesLeft > 0, close }
}

const isBusy = (client: pg.PoolClient): boolean =>
  // Not in the type: false while a statement runs.
  !(client as unknown as { readyForQuery: boolean }).readyForQuery

/**
 * A connection that only listens does not notice being cut, so it is pinged now and then; this also keeps idle ones
 * alive.
 */
const keepAsking = (client: pg.PoolClient): void => {
  const timer = setInterval(() => {
    if (isBusy(client)) return
    // An unresponsive one is destroyed, and the queue listens on another.
    const heartbeat = { text: 'select 1', query_timeout: HEARTBEAT_TIMEOUT_MS }
    client.query(heartbeat).catch(() => {})
  }, HEARTBEAT_EVERY_MS).unref()
  client.once('end', () => clearInterval(timer))
}
