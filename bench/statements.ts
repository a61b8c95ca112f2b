// The statements that a call runs, taken from the call itself, as scripts for pgbench: what PostgreSQL can do with the
// very same SQL when nothing stands before it is the limit that Foyer is compared with.
import type pg from 'pg'
import { channels } from '../channels/index.ts'
import type { Ctx } from '../server/ctx.ts'
import { newId } from '../server/db/id.ts'
import { makeDb } from '../server/db/pool.ts'
import { silentStream } from '../server/events/stream.ts'

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
    afterCommit: null,
  } as unknown as Ctx
  await work(ctx)
  return statements
}

export type Script = { text: string; variables: Record<string, string> }

/** Constant in a transaction, new in the next, and after all ids there are. */
const NEW_ID =
  "('cz' || lpad((extract(epoch from now()) * 1000000)::bigint::text, 17, '0') || lpad(:r::text, 6, '0'))"

/**
 * The statements as a pgbench script. Values become variables; a time becomes now(), so that indexes move as they do
 * in earnest, and `id`, which the call made, a new one in every transaction.
 */
export const toScript = (statements: Statement[], prefix: string, id?: string): Script => {
  const variables: Record<string, string> = {}
  const lines = statements.map(({ text, values }, s) => {
    const line = text
      // pgbench takes ":MI" for a variable also inside a literal; a quoted colon means the same to to_char.
      .replaceAll('HH24:MI:SS', 'HH24":"MI":"SS')
      .replaceAll(/\$(\d+)/g, (_, n: string) => {
        const value = values[Number(n) - 1]
        if (value === null || value === undefined) return 'null'
        if (value instanceof Date) return 'now()'
        if (id && value === id) return NEW_ID
        const name = `${prefix}_${s}_${n}`
        if (Array.isArray(value)) variables[name] = `{${value.map((item) => JSON.stringify(item)).join(',')}}`
        else variables[name] = id ? String(value).replaceAll(id, 'c0000') : String(value)
        return `:${name}`
      })
      .replaceAll(/\s+/g, ' ')
    return `${line.trim()};`
  })
  return { text: `\\set r random(0, 999999)\n${lines.join('\n')}\n`, variables }
}
