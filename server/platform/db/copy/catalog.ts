// What there is to copy in a database: its tables and sequences, in our own schema and in the queue's. The names are
// quoted where necessary, and our own have no schema, because it may have another name in the other database.
import { StartError } from '../../start-error.ts'
import type { Connection } from '../connection.ts'

export type CopiedTable = { name: string; columns: string[] }
export type CopiedSequence = { name: string; value: string }

/** What migrating fills itself. */
const MIGRATIONS = ['schema_migrations', 'graphile_worker.migrations']

const NAME = `case when n.nspname = current_schema() then quote_ident(c.relname)
  else quote_ident(n.nspname) || '.' || quote_ident(c.relname) end`
const OURS = `n.nspname in (current_schema(), 'graphile_worker')
  and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`

export const listCopiedTables = async (client: Connection): Promise<CopiedTable[]> => {
  const { rows } = await client.query<CopiedTable>(
    `select ${NAME} as name,
       (select array_agg(quote_ident(a.attname) order by a.attnum) from pg_attribute a
         where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and ${OURS} order by 1`,
  )
  return rows.filter(({ name }) => !MIGRATIONS.includes(name))
}

/** Those that have given out a number. Read after the snapshot is taken, so that every row's number is below. */
export const listCopiedSequences = async (client: Connection): Promise<CopiedSequence[]> => {
  const { rows } = await client.query<CopiedSequence>(
    `select ${NAME} as name, s.last_value::text as value
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     join pg_sequences s on s.schemaname = n.nspname and s.sequencename = c.relname
     where c.relkind = 'S' and s.last_value is not null and ${OURS} order by 1`,
  )
  return rows
}

/** The migrations that a database has, ours and the queue's; none if Foyer has never used it. */
export const listMigrations = async (client: Connection): Promise<string[]> => {
  const { rows } = await client.query<{ exists: boolean }>(
    `select to_regclass('schema_migrations') is not null as exists`,
  )
  if (!rows[0]!.exists) return []
  const found = await client.query<{ name: string }>('select name from schema_migrations order by name')
  return found.rows.map(({ name }) => name)
}

/** Throws StartError unless both have the same tables and columns. */
export const compareTables = (wanted: readonly CopiedTable[], found: readonly CopiedTable[]): void => {
  const shapeOf = (tables: readonly CopiedTable[]): Map<string, string> =>
    new Map(tables.map(({ name, columns }) => [name, columns.toSorted().join(', ')]))
  const [one, other] = [shapeOf(wanted), shapeOf(found)]
  const names = [...new Set([...one.keys(), ...other.keys()])]
  const different = names.find((name) => one.get(name) !== other.get(name))
  if (different)
    throw new StartError(`The table ${different} differs between the two databases, so nothing was copied.`)
}

/**
 * Throws StartError if the database holds another program's tables or a workspace. What else a start leaves
 * behind is replaced.
 */
export const checkIsEmpty = async (client: Connection, what: string): Promise<void> => {
  const { rows } = await client.query<{ hasTables: boolean; isFoyer: boolean }>(
    `select exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
         where c.relkind in ('r', 'p') and ${OURS}) as "hasTables",
       to_regclass('schema_migrations') is not null and to_regclass('event_epoch') is not null as "isFoyer"`,
  )
  const { hasTables, isFoyer } = rows[0]!
  if (hasTables && !isFoyer)
    throw new StartError(`${what} has tables of another program. Use an empty database.`)
  if (!hasTables) return
  const found = await client.query<{ isUsed: boolean }>('select exists (select from workspaces) as "isUsed"')
  if (found.rows[0]!.isUsed)
    throw new StartError(
      `${what} isn't empty. Use an empty database, or add --replace to delete everything in it.`,
    )
}
