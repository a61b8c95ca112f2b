import { sql } from 'kysely'
import type { Db } from './pool.ts'

/**
 * Makes the transaction's statements use indexes, for batches that look up each of their rows. Plans are kept per
 * connection: one made while a table is small would scan the whole table, for every row of every batch, until
 * statistics are gathered.
 */
export const planByIndex = async (db: Db): Promise<void> => {
  await sql`select set_config('enable_seqscan', 'off', true)`.execute(db)
}
