// The time that a search may take. A statement gets little of it, because another way may be faster. When no way has
// found anything in that time, a slow answer is better than an empty one.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { type Db, SEARCH_PATIENCE_MS } from '../../platform/db/pool.ts'

const QUERY_CANCELED = '57014'

/** Undefined if the statement exceeded its time limit, such as that of ctx.searchDb. */
export const withinLimit = async <T>(work: Promise<T>): Promise<T | undefined> => {
  try {
    return await work
  } catch (error) {
    if ((error as { code?: string }).code === QUERY_CANCELED) return undefined
    throw error
  }
}

/** For all that a search does after it has found nothing quickly; what has begun by then may end. */
export const PATIENCE_MS = SEARCH_PATIENCE_MS

/** Runs statements that may take this long, on the few connections of searches, so that they only delay each other. */
export const patiently = <T>({ searchDb }: Ctx, work: (db: Db) => Promise<T>): Promise<T | undefined> =>
  withinLimit(
    searchDb.transaction().execute(async (trx) => {
      await sql`set local statement_timeout = ${sql.lit(SEARCH_PATIENCE_MS)}`.execute(trx)
      return work(trx)
    }),
  )
