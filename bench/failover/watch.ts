// What the cluster says of itself, and whether its primary accepts writes.
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Cluster } from './cluster.ts'

const ASK_TIMEOUT_MS = 1_000
const PROBE_EVERY_MS = 100
const LOOK_EVERY_MS = 200

/** One statement on a connection of its own. */
export const query = async <Row extends pg.QueryResultRow>(
  connectionString: string,
  text: string,
  values: unknown[] = [],
  timeoutMs = 30_000,
): Promise<Row[]> => {
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: Math.min(timeoutMs, 5_000),
    query_timeout: timeoutMs,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    return (await client.query<Row>(text, values)).rows
  } finally {
    void client.end().catch(() => {})
  }
}

/** The name of the node that Patroni calls the primary; null while there is none. */
export const findPrimary = async ({ nodes }: Cluster): Promise<string | null> => {
  const isPrimary = await Promise.all(
    nodes.map(({ restPort }) =>
      fetch(`http://127.0.0.1:${restPort}/primary`, { signal: AbortSignal.timeout(ASK_TIMEOUT_MS) }).then(
        ({ status }) => status === 200,
        () => false,
      ),
    ),
  )
  return nodes.find((_, index) => isPrimary[index])?.name ?? null
}

/** Whether a replica confirms every commit, so that the primary may fail. */
export const hasReplica = async ({ nodes }: Cluster): Promise<boolean> => {
  for (const { restPort } of nodes) {
    const isSynchronous = await fetch(`http://127.0.0.1:${restPort}/synchronous`, {
      signal: AbortSignal.timeout(ASK_TIMEOUT_MS),
    }).then(
      ({ status }) => status === 200,
      () => false,
    )
    if (isSynchronous) return true
  }
  return false
}

/** Polls until it is so. Throws an error that names it if it takes too long. */
export const until = async (what: string, ask: () => Promise<boolean>, maxMs: number): Promise<void> => {
  const endMs = performance.now() + maxMs
  for (;;) {
    if (await ask().catch(() => false)) return
    if (performance.now() > endMs) throw new Error(`${what} did not happen within ${maxMs / 1000} s`)
    await delay(LOOK_EVERY_MS)
  }
}

/** The longest time between two entries, of which the later one is in the window. */
export const longestGapMs = (times: readonly number[], fromMs: number, toMs: number): number => {
  let longest = 0
  let before = fromMs
  for (const ms of times) {
    if (ms < fromMs) continue
    if (before >= toMs) break
    longest = Math.max(longest, Math.min(ms, toMs) - before)
    before = ms
  }
  return Math.max(longest, toMs > before ? toMs - before : 0)
}

/** Writes to the primary through HAProxy without Foyer, each write on a new connection, and notes when it succeeded. */
export const probeDatabase = (databaseUrl: string) => {
  const times: number[] = []
  let isOver = false
  const running = (async () => {
    while (!isOver) {
      const startedMs = performance.now()
      await query(databaseUrl, 'update trial_probe set at = now()', [], ASK_TIMEOUT_MS).then(
        () => times.push(performance.now()),
        () => {},
      )
      await delay(Math.max(0, startedMs + PROBE_EVERY_MS - performance.now()))
    }
  })()
  return {
    times,
    stop: async () => {
      isOver = true
      await running
    },
  }
}
