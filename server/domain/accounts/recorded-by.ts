import { type RawBuilder, sql } from 'kysely'

export type RecordedBy = { id: string; name: string }

/** Whoever a column names, as JSON; see actorId. */
export const recordedBy = (column: string): RawBuilder<RecordedBy> =>
  sql<RecordedBy>`json_build_object('id', ${sql.ref(column)}, 'name', coalesce(
  (select nickname from accounts where id = ${sql.ref(column)}),
  case when ${sql.ref(column)} like 'api:%' then 'API' else 'Foyer' end))`
