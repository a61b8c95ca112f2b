// Reads a workspace as it was at one moment, for as long as it takes.
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { type Db, makeDb, makePool } from '../../platform/db/pool.ts'
import { type FeedHead, findFeedHead } from './feed-queries.ts'

export type Snapshot = { db: Db; takenAt: string; head: FeedHead }

/** How often to look for a moment at which the feed has numbered everything, before taking one at which it has not. */
const MOMENTS_MAX = 25
const NEXT_MOMENT_MS = 10
/** The reader may wait for a slow file store. */
const IDLE_MS = 600_000
const STATEMENT_MS = 120_000

/** On a connection of its own, which holds no number of a transaction and so holds up nobody but vacuum. */
export const inSnapshot = async <T>(
  { connectionString, workspaceId }: { connectionString: string; workspaceId: string },
  work: (snapshot: Snapshot) => Promise<T>,
): Promise<T> => {
  const pool = makePool({
    connectionString,
    max: 1,
    applicationName: 'foyer export',
    statementTimeoutMs: STATEMENT_MS,
    settings: { idle_in_transaction_session_timeout: String(IDLE_MS) },
  })
  try {
    return await makeDb(pool)
      .connection()
      .execute(async (db) => {
        for (let moment = 1; ; moment++) {
          await sql`begin isolation level repeatable read, read only`.execute(db)
          try {
            const { rows } = await sql<{ at: string }>`select now() as at`.execute(db)
            const head = await findFeedHead(db, workspaceId)
            if (head.pending.length === 0 || moment === MOMENTS_MAX)
              return await work({ db, takenAt: rows[0]!.at, head })
          } finally {
            await sql`rollback`.execute(db).catch(() => {})
          }
          await delay(NEXT_MOMENT_MS)
        }
      })
  } finally {
    await pool.end()
  }
}
