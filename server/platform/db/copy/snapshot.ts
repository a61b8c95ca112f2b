// A database as it is at one moment, to be read table by table while others go on writing.
import { type CopyToStreamQuery, to as copyTo } from 'pg-copy-streams'
import type { Connection } from '../connection.ts'
import { type CopiedSequence, type CopiedTable, listCopiedSequences, listCopiedTables } from './catalog.ts'

export type CopySnapshot = { tables: CopiedTable[]; sequences: CopiedSequence[]; takenAt: string }

/** Begins a transaction that sees one moment, until `rollback`. Tables can't be altered meanwhile. */
export const beginSnapshot = async (client: Connection): Promise<CopySnapshot> => {
  await client.query('begin isolation level repeatable read, read only')
  // The locks come first: a table that is altered between the snapshot and its turn could not be read any more.
  const tables = await listCopiedTables(client)
  await client.query(`lock table ${tables.map(({ name }) => name).join(', ')} in access share mode`)
  const { rows } = await client.query<{ at: Date }>('select now() as at')
  return { tables, sequences: await listCopiedSequences(client), takenAt: rows[0]!.at.toISOString() }
}

/** A table in PostgreSQL's binary format, which is the same in all supported versions. */
export const readTable = (client: Connection, { name, columns }: CopiedTable): CopyToStreamQuery =>
  client.query(copyTo(`copy ${name} (${columns.join(', ')}) to stdout (format binary)`))
