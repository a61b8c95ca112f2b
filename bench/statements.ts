// The statements that a call runs, recorded from the call itself, as scripts for pgbench: Foyer is compared with what
// PostgreSQL can do with the same SQL and nothing in front of it.

import type pg from 'pg'
import { channels } from '../channels/index.ts'
import type { Ctx } from '../server/platform/ctx/ctx.ts'
import { databaseNow } from '../server/platform/db/clock.ts'
import { newIdAfter, timeOfId } from '../server/platform/db/id.ts'
import { makeDb } from '../server/platform/db/pool.ts'
import { silentStream } from '../server/platform/live/stream.ts'
import { makeSeal } from '../server/platform/seal.ts'

type Statement = { text: string; values: unknown[] }

/** Runs `work` in a workspace and returns the statements it ran. */
export const recordStatements = async (
  pool: pg.Pool,
  workspaceId: string,
  tokenId: string,
  work: (ctx: Ctx) => Promise<unknown>,
): Promise<Statement[]> => {
  const statements: Statement[] = []
  const recording = {
    options: pool.options,
    connect: async () => {
      const client = await pool.connect()
      return {
        query: (statement: Statement | string) => {
          const { text, values } = typeof statement === 'string' ? { text: statement } : statement
          statements.push({ text, values: values ?? [] })
          return client.query(statement)
        },
        release: () => client.release(),
      }
    },
    end: () => Promise.resolve(),
  }
  // A pool with just the two methods that makeDb uses.
  const db = makeDb(recording as unknown as pg.Pool)
  const ctx = {
    db,
    searchDb: db,
    channels,
    workspaceId,
    actor: { type: 'token', tokenId },
    now: databaseNow,
    newId: newIdAfter,
    createdAt: timeOfId,
    log: { error: () => {}, warn: () => {}, info: () => {} },
    stream: silentStream,
    seal: makeSeal('the bench signs links as a server does'),
    publicUrl: 'http://bench.invalid',
    afterCommit: null,
  } as unknown as Ctx
  await work(ctx)
  return statements
}

export type Script = { text: string; variables: Record<string, string> }

/** Constant within a transaction, new in the next, and greater than all existing ids. */
const NEW_ID =
  "('cz' || lpad((extract(epoch from now()) * 1000000)::bigint::text, 17, '0') || lpad(:r::text, 6, '0'))"

/** Values that differ between transactions: :i selects one, the same for all lists of a script. */
export type Lists = Record<string, string[]>

const SEPARATOR = '|'

/**
 * The statements as a pgbench script. Values become variables and times become now(), so that indexes change as in
 * production. A value that is the first of one of the `lists` is replaced by any of that list; `newId`, which the call
 * created, is replaced by a new id. One script with lists rather than one per value, because every client prepares and
 * plans all scripts.
 */
export const toScript = (statements: Statement[], lists: Lists = {}, newId?: string): Script => {
  const variables: Record<string, string> = {}
  for (const [name, values] of Object.entries(lists)) variables[name] = values.join(SEPARATOR)
  const replaced = [
    ...(newId ? [[newId, NEW_ID] as const] : []),
    ...Object.entries(lists).map(
      ([name, [first]]) => [first!, `split_part(:${name}, '${SEPARATOR}', :i)`] as const,
    ),
  ]
  /** As SQL: what differs between transactions may be anywhere in it, since batches are written as JSON. */
  const toSql = (literal: string, name: string): string => {
    const found = replaced.find(([value]) => literal.includes(value))
    if (!found) {
      // pgbench has no empty variables.
      if (literal === '') return "''"
      variables[name] = literal
      return `:${name}`
    }
    const [value, instead] = found
    if (literal === value) return instead
    return `(${literal
      .split(value)
      .map((piece, n) => toSql(piece, `${name}_${n}`))
      .join(` || ${instead} || `)})`
  }
  const lines = statements.map(({ text, values }, s) => {
    const line = text
      // pgbench reads ":MI" as a variable even inside a literal; a quoted colon means the same to to_char.
      .replaceAll('HH24:MI:SS', 'HH24":"MI":"SS')
      .replaceAll(/\$(\d+)/g, (_, n: string) => {
        const value = values[Number(n) - 1]
        if (value === null || value === undefined) return 'null'
        if (value instanceof Date) return 'now()'
        const literal = Array.isArray(value)
          ? `{${value.map((item) => JSON.stringify(item)).join(',')}}`
          : String(value)
        return toSql(literal, `p_${s}_${n}`)
      })
      .replaceAll(/\s+/g, ' ')
    return `${line.trim()};`
  })
  const count = Math.max(1, ...Object.values(lists).map((values) => values.length))
  return { text: `\\set r random(0, 999999)\n\\set i random(1, ${count})\n${lines.join('\n')}\n`, variables }
}
