import { sql } from 'kysely'

/** The profile shows the newest of each. */
export const NOTES_SHOWN_MAX = 500
export const FLOWS_SHOWN_MAX = 100

/** A column as the API writes times, inside a statement. */
export const iso = (column: string) =>
  sql`to_char(${sql.raw(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
