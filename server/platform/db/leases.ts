// Work that only one process at a time may do: a session-level advisory lock for each kind, all on one connection. If
// the connection breaks or the process dies, PostgreSQL releases them at once.
import { createHash } from 'node:crypto'
import { makeConnection } from './connection.ts'

const ANSWER_TIMEOUT_MS = 5_000

export type Leases = {
  /** Whether we hold it now. */
  take: (name: string) => Promise<boolean>
  giveBack: (name: string) => Promise<void>
  /** Aborted when the connection is lost, and every lease with it. */
  lost: AbortSignal
  close: () => Promise<void>
}

/** Lock numbers have 64 bits, so two names collide only by chance. */
const lockOf = (name: string): string =>
  createHash('sha256').update(name).digest().readBigInt64BE().toString()

export const openLeases = async (connectionString: string): Promise<Leases> => {
  const gone = new AbortController()
  const client = makeConnection({
    connectionString,
    applicationName: 'foyer (leases)',
    silenceTimeoutMs: ANSWER_TIMEOUT_MS,
  })
  client.once('end', () => gone.abort())
  await client.connect().catch((error) => {
    client.end().catch(() => {})
    throw error
  })
  // Without a response we don't know what is held, so we assume nothing.
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
