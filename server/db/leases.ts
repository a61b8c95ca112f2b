// Work that one process at a time may do, whoever is first: a session-level advisory lock for each, all on one
// connection. When it breaks, or the process dies, PostgreSQL gives them back at once.
import { createHash } from 'node:crypto'
import pg from 'pg'

const CONNECT_TIMEOUT_MS = 5_000
const ANSWER_TIMEOUT_MS = 5_000

export type Leases = {
  /** Whether it is ours now. */
  take: (name: string) => Promise<boolean>
  giveBack: (name: string) => Promise<void>
  /** Aborted once the connection is gone, and every lease with it. */
  lost: AbortSignal
  close: () => Promise<void>
}

/** Locks have numbers of 64 bits; two names meet in one by chance only. */
const lockOf = (name: string): string =>
  createHash('sha256').update(name).digest().readBigInt64BE().toString()

export const openLeases = async (connectionString: string): Promise<Leases> => {
  const gone = new AbortController()
  const client = new pg.Client({
    connectionString,
    application_name: 'foyer (leases)',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: ANSWER_TIMEOUT_MS,
    keepAlive: true,
  })
  // `end` follows every error.
  client.on('error', () => {})
  client.once('end', () => gone.abort())
  await client.connect().catch((error) => {
    client.end().catch(() => {})
    throw error
  })
  // An answer that does not come leaves open what is held: then nothing is.
  const ask = async (statement: string, name: string): Promise<boolean> => {
    try {
      const { rows } = await client.query<{ is: boolean }>(`select ${statement}($1::bigint) as is`, [
        lockOf(name),
      ])
      return rows[0]!.is
    } catch (error) {
      client.end().catch(() => {})
      gone.abort()
      throw error
    }
  }
  return {
    take: (name) => ask('pg_try_advisory_lock', name),
    giveBack: async (name) => {
      await ask('pg_advisory_unlock', name)
    },
    lost: gone.signal,
    close: async () => {
      await client.end().catch(() => {})
    },
  }
}
