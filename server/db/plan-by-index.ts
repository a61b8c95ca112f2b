import { sql } from 'kysely'
import type { Db } from './pool.ts'

/**
 * Has the statements of the transaction planned by their indexes, for batches that look up each of their rows. A plan
 * is made once for a connection and kept: made while a table is still small, it would read the whole table, and go on
 * doing so for every row of every batch while the table grows, until statistics are gathered.
 */
export const planByIndex = async (db: Db): Promise<void> => {
  await sql`select set_config('enable_seqscan', 'off', true)`.execute(db)
}
