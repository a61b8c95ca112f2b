import { type RawBuilder, sql } from 'kysely'

/**
 * Rows as one parameter of a statement; the caller names the columns: `from ${rowsOf(list)} as r (id text, …)`. Use a
 * separate statement for a single row: plans are made once, and PostgreSQL assumes that a set has a hundred rows.
 */
export const rowsOf = (rows: readonly object[]): RawBuilder<unknown> =>
  rows.length === 1
    ? sql`jsonb_to_record(${JSON.stringify(rows[0])}::jsonb)`
    : sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)`
