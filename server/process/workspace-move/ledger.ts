// What is compared of a table: how many rows it has, and a sum over their hashes, which is the same in any order.
import { hash } from 'node:crypto'
import { Transform, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import type { Connection } from '../../platform/db/connection.ts'
import type { MovedTable } from './tables.ts'

export type Entry = { rows: number; bytes: number; sum: string }

const NEWLINE = 0x0a
const WORDS = 4

const makeSum = () => {
  const words = new Uint32Array(WORDS)
  let rows = 0
  let bytes = 0
  return {
    add: (lines: Buffer): void => {
      bytes += lines.length
      for (let at = 0; at < lines.length; ) {
        const end = lines.indexOf(NEWLINE, at) + 1
        const digest = hash('sha1', lines.subarray(at, end), 'buffer')
        for (let word = 0; word < WORDS; word++) words[word]! += digest.readUInt32LE(word * 4)
        rows += 1
        at = end
      }
    },
    entry: (): Entry => ({ rows, bytes, sum: Buffer.from(words.buffer).toString('hex') }),
  }
}

/** PostgreSQL's text format has one line for each row. Passes on whole lines, with ids of accounts replaced. */
const throughLines = (accounts: ReadonlyMap<string, string>) => {
  const sum = makeSum()
  let rest: Buffer[] = []
  const take = (lines: Buffer): Buffer => {
    const renamed = accounts.size === 0 ? lines : rename(lines, accounts)
    sum.add(renamed)
    return renamed
  }
  const stream = new Transform({
    transform(chunk: Buffer, _, next) {
      const end = chunk.lastIndexOf(NEWLINE) + 1
      if (end === 0) {
        rest.push(chunk)
        return next()
      }
      const lines = Buffer.concat([...rest, chunk.subarray(0, end)])
      rest = end < chunk.length ? [chunk.subarray(end)] : []
      next(null, take(lines))
    },
    flush: (next) => next(rest.length > 0 ? new Error('the last row is incomplete') : null),
  })
  return { stream, entry: sum.entry }
}

/** Ids are made to be unique, so wherever one occurs it means that account; all have the same length. */
const rename = (lines: Buffer, accounts: ReadonlyMap<string, string>): Buffer =>
  Buffer.from(
    lines.toString('latin1').replace(/\bc[0-9a-z]{24}\b/g, (id) => accounts.get(id) ?? id),
    'latin1',
  )

const NOBODY: ReadonlyMap<string, string> = new Map()

const readRows = (client: Connection, { name, owner, columns, numbered }: MovedTable, workspaceId: string) =>
  client.query(
    copyTo(
      `copy (select ${columns.join(', ')} from ${name} where ${owner} = '${workspaceId}'
       ${numbered === null ? '' : `order by ${numbered}`}) to stdout`,
    ),
  )

type Copying = {
  source: Connection
  target: Connection
  workspaceId: string
  accounts: ReadonlyMap<string, string>
}

/** Returns what was sent. */
export const copyRows = async (
  { source, target, workspaceId, accounts }: Copying,
  table: MovedTable,
): Promise<Entry> => {
  // What triggers of other tables have made there.
  if (!table.hasTriggers)
    await target.query(`delete from ${table.name} where ${table.owner} = $1`, [workspaceId])
  const { stream, entry } = throughLines(accounts)
  const sink = target.query(copyFrom(`copy ${table.name} (${table.columns.join(', ')}) from stdin`))
  await pipeline(readRows(source, table, workspaceId), stream, sink)
  return entry()
}

/** What the table has of the workspace now. */
export const measureRows = async (
  client: Connection,
  table: MovedTable,
  workspaceId: string,
): Promise<Entry> => {
  const { stream, entry } = throughLines(NOBODY)
  const nowhere = new Writable({ write: (_chunk, _, next) => next() })
  await pipeline(readRows(client, table, workspaceId), stream, nowhere)
  return entry()
}
