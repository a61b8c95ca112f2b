// The statements that a call runs, taken from the call itself, as scripts for pgbench: what PostgreSQL can do with the
// very same SQL when nothing stands before it is the limit that Foyer is compared with.

import type pg from 'pg'
import { channels } from '../channels/index.ts'
import type { Ctx } from '../server/ctx.ts'
import { newId } from '../server/db/id.ts'
import { makeDb } from '../server/db/pool.ts'
import { silentStream } from '../server/events/stream.ts'
import { makeSeal } from '../server/seal.ts'

type Statement = { text: string; values: unknown[] }

/** Runs `work` in a workspace and gives back what it asked of the database. */
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
        query: (statement: Statement) => {
          statements.push({ text: statement.text, values: statement.values ?? [] })
          return client.query(statement)
        },
        release: () => client.release(),
      }
    },
    end: () => Promise.resolve(),
  }
  // A pool by the two methods that makeDb uses.
  const db = makeDb(recording as unknown as pg.Pool)
  const ctx = {
    db,
    searchDb: db,
    channels,
    workspaceId,
    actor: { type: 'token', tokenId },
    now: () => new Date(),
    newId: () => newId(),
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

/** Constant in a transaction, new in the next, and after all ids there are. */
export const NEW_ID =
  "('cz' || lpad((extract(epoch from now()) * 1000000)::bigint::text, 17, '0') || lpad(:r::text, 6, '0'))"

/** Values that differ from one transaction to the next: which one is drawn by :i, the same for all lists of a script. */
export type Lists = Record<string, string[]>

const SEPARATOR = '|'

/**
 * The statements as a pgbench script. Values become variables and a time becomes now(), so that indexes move as they
 * do in earnest. Where a value is the first of one of the `lists`, any of that list takes its place; where it is
 * `newId`, which the call made, a new id does. One script with lists, and not a script for each value, because every
 * client prepares and plans all scripts.
 */
export const toScript = (statements: Statement[], lists: Lists = {}, newId?: string): Script => {
  const variables: Record<string, string> = {}
  for (const [name, values] of Object.entries(lists)) variables[name] = values.join(SEPARATOR)
  const listOf = (value: unknown) => Object.entries(lists).find(([, [first]]) => first === value)?.[0]
  const lines = statements.map(({ text, values }, s) => {
    const line = text
      // pgbench takes ":MI" for a variable also inside a literal; a quoted colon means the same to to_char.
      .replaceAll('HH24:MI:SS', 'HH24":"MI":"SS')
      .replaceAll(/\$(\d+)/g, (_, n: string) => {
        const value = values[Number(n) - 1]
        if (value === null || value === undefined) return 'null'
        if (value instanceof Date) return 'now()'
        if (newId && value === newId) return NEW_ID
        const list = listOf(value)
        if (list) return `split_part(:${list}, '${SEPARATOR}', :i)`
        const name = `p_${s}_${n}`
        variables[name] = Array.isArray(value)
          ? `{${value.map((item) => JSON.stringify(item)).join(',')}}`
          : String(value)
        return `:${name}`
      })
      .replaceAll(/\s+/g, ' ')
    return `${line.trim()};`
  })
  const count = Math.max(1, ...Object.values(lists).map((values) => values.length))
  return { text: `\\set r random(0, 999999)\n\\set i random(1, ${count})\n${lines.join('\n')}\n`, variables }
}
