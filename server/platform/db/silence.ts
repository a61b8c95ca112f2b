// Detects connections that were dropped silently, by a firewall or because a host is gone. The client would wait for
// its own timeout, connection after connection. So we ask the server over another connection about statements that
// take long: if it is not working on one, the response was lost, and the connection is given up.
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import pg from 'pg'
import { forgetHost, singleUrl } from './address.ts'

/** Statements without a response for this long are checked. */
const SUSPECT_AFTER_MS = 2_000
const LOOK_EVERY_MS = 1_000
const LOOK_TIMEOUT_MS = 2_000
/** The longest that a response sent just before the check can take to arrive. */
const ON_THE_WAY_MS = 200
/** While the server is read-only, its connections are dropped no more often than this. */
const DROP_EVERY_MS = 1_000

export type Watched = {
  /** The server's process id for the session; 0 while unknown. */
  readonly pid: number
  /** Since when the current statement has waited for a response; null if there is none. */
  readonly askedMs: number | null
  readonly answeredMs: number
  /** Fails pending statements at once and keeps pools from reusing the connection. */
  destroy: (reason: string) => void
}

type Watch = { connections: Set<Watched>; isLooking: boolean; droppedMs: number }

/** This process's connections, by the address they were made for. */
const watches = new Map<string, Watch>()
let timer: NodeJS.Timeout | undefined

/** Watches a connection until the returned function is called. */
export const watchConnection = (connectionString: string, connection: Watched): (() => void) => {
  const watch = watches.get(connectionString) ?? {
    connections: new Set(),
    isLooking: false,
    droppedMs: Number.NEGATIVE_INFINITY,
  }
  watches.set(connectionString, watch)
  watch.connections.add(connection)
  timer ??= setInterval(checkForSilence, LOOK_EVERY_MS).unref()
  return () => {
    watch.connections.delete(connection)
    if (watch.connections.size === 0) watches.delete(connectionString)
    if (watches.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** A connection went silent: those idle since before its statement was sent were cut as well. */
export const dropOlder = (connectionString: string, askedMs: number): void => {
  forgetHost(connectionString)
  for (const connection of watches.get(connectionString)?.connections ?? [])
    if (connection.askedMs === null && connection.answeredMs < askedMs)
      connection.destroy('Connection terminated: another connection was found dead')
}

/** The server is read-only: the next query reconnects, to a writable server if there is one. */
export const dropIdle = (connectionString: string): void => {
  forgetHost(connectionString)
  const watch = watches.get(connectionString)
  const nowMs = performance.now()
  if (!watch || nowMs - watch.droppedMs < DROP_EVERY_MS) return
  watch.droppedMs = nowMs
  for (const connection of watch.connections)
    if (connection.askedMs === null)
      connection.destroy('Connection terminated: the server does not accept writes')
}

const checkForSilence = (): void => {
  const nowMs = performance.now()
  for (const [connectionString, watch] of watches) {
    if (watch.isLooking) continue
    const suspects = [...watch.connections].flatMap((connection) =>
      connection.askedMs !== null && nowMs - connection.askedMs > SUSPECT_AFTER_MS
        ? [{ connection, askedMs: connection.askedMs }]
        : [],
    )
    if (suspects.length === 0) continue
    watch.isLooking = true
    // While the server can't be asked, nothing is known; the next tick checks again.
    void checkHosts(connectionString, suspects)
      .catch(() => forgetHost(connectionString))
      .finally(() => {
        watch.isLooking = false
      })
  }
}

type Suspect = { connection: Watched; askedMs: number }

const checkHosts = async (connectionString: string, suspects: readonly Suspect[]): Promise<void> => {
  const working = await listWorking(
    connectionString,
    suspects.map(({ connection }) => connection.pid),
  )
  // If this process was busy, responses may be waiting unread: one turn of the event loop reads them.
  await delay(ON_THE_WAY_MS)
  await nextTurn()
  const lost = suspects.filter(
    ({ connection, askedMs }) => !working.has(connection.pid) && connection.askedMs === askedMs,
  )
  for (const { connection, askedMs } of lost) {
    connection.destroy('Connection terminated: the server is not running the statement')
    dropOlder(connectionString, askedMs)
  }
}

/** Which of these sessions the server is working for. */
const listWorking = async (connectionString: string, pids: readonly number[]): Promise<Set<number>> => {
  const client = new pg.Client({
    connectionString: singleUrl(connectionString),
    application_name: 'foyer (checks statements)',
    connectionTimeoutMillis: LOOK_TIMEOUT_MS,
    query_timeout: LOOK_TIMEOUT_MS,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ pid: number }>(
      `select pid from pg_stat_activity where pid = any($1::int[]) and state not like 'idle%'`,
      [pids],
    )
    return new Set(rows.map(({ pid }) => pid))
  } finally {
    client.end().catch(() => {})
  }
}
