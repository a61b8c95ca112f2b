// Fills a migrated database with copied tables in one transaction: killed at any point, it leaves the database as it
// was. Indexes and foreign keys are removed and made again at the end, which takes a fraction of the time and checks
// every reference.
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { from as copyFrom } from 'pg-copy-streams'
import type { Connection } from '../connection.ts'
import type { CopiedSequence, CopiedTable } from './catalog.ts'

export type BulkLoad = {
  /** The rows loaded. */
  load: (table: CopiedTable, content: Readable | AsyncIterable<Buffer>) => Promise<number>
  /** Makes the indexes and foreign keys again. The transaction is still open then. */
  finish: (sequences: readonly CopiedSequence[]) => Promise<void>
}

/** Begins the transaction and empties the tables. */
export const beginBulkLoad = async (
  client: Connection,
  tables: readonly CopiedTable[],
): Promise<BulkLoad> => {
  const names = tables.map(({ name }) => name)
  await client.query('begin')
  await client.query(`truncate ${names.join(', ')} restart identity`)
  const [foreignKeys, indexes] = [await listForeignKeys(client, names), await listIndexes(client, names)]
  for (const { table, name } of foreignKeys)
    await client.query(`alter table ${table} drop constraint ${name}`)
  for (const { name } of indexes) await client.query(`drop index ${name}`)
  for (const name of names) await client.query(`alter table ${name} disable trigger user`)
  return {
    load: async ({ name, columns }, content) => {
      // Frozen: these pages need not be written again by the first vacuum.
      const sink = client.query(
        copyFrom(`copy ${name} (${columns.join(', ')}) from stdin (format binary, freeze)`),
      )
      await pipeline(content, sink)
      return sink.rowCount
    },
    finish: async (sequences) => {
      await client.query(`set local maintenance_work_mem = '256MB'`)
      for (const { definition } of indexes) await client.query(definition)
      for (const { table, name, definition } of foreignKeys)
        await client.query(`alter table ${table} add constraint ${name} ${definition}`)
      for (const name of names) await client.query(`alter table ${name} enable trigger user`)
      for (const { name, value } of sequences)
        await client.query('select setval($1::text::regclass, $2::bigint)', [name, value])
    },
  }
}

type Constraint = { table: string; name: string; definition: string }

const listForeignKeys = async (client: Connection, names: readonly string[]): Promise<Constraint[]> => {
  const { rows } = await client.query<Constraint>(
    `select conrelid::regclass::text as table, quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
     from pg_constraint where contype = 'f' and conrelid = any ($1::text[]::regclass[]) order by 1, 2`,
    [names],
  )
  return rows
}

/** Those of no constraint: primary keys and unique constraints stay. */
const listIndexes = async (
  client: Connection,
  names: readonly string[],
): Promise<Pick<Constraint, 'name' | 'definition'>[]> => {
  const { rows } = await client.query<Pick<Constraint, 'name' | 'definition'>>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
     from pg_index i where indrelid = any ($1::text[]::regclass[])
       and not exists (select from pg_constraint c where c.conindid = i.indexrelid) order by 1`,
    [names],
  )
  return rows
}
