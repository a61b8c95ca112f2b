// Removes the rows of a closed workspace: those that a move left in the source, or a copy that never counted.
import type { Connection } from '../../platform/db/connection.ts'
import { makeProgress } from '../../platform/db/copy/progress.ts'
import { listMovedTables, listTables } from './tables.ts'

/** Small transactions, so that no lock is held long. */
const BATCH = 5_000

/** Killed in between, it can be run again. Returns how many rows there were. */
export const deleteRows = async (
  client: Connection,
  workspaceId: string,
  say: (line: string) => void,
): Promise<number> => {
  const progress = makeProgress(say)
  const moved = (await listMovedTables(client)).map(({ name }) => name)
  const { owned } = await listTables(client)
  const others = owned.filter((name) => !moved.includes(name) && name !== 'workspace_moves')
  const tables = [...others, ...moved.filter((name) => name !== 'workspaces').reverse()]
  let count = 0
  const deleteFrom = async (table: string): Promise<void> => {
    for (;;) {
      const { rowCount } = await client.query(
        `delete from ${table} where ctid = any (array(
           select ctid from ${table} where workspace_id = $1 limit ${BATCH}))`,
        [workspaceId],
      )
      count += rowCount ?? 0
      progress(`deleted ${count} rows`)
      if ((rowCount ?? 0) < BATCH) return
    }
  }
  await client.query(`set foyer.closed = 'write'`)
  try {
    // Triggers may have left something behind the first time.
    for (const table of [...tables, ...tables]) await deleteFrom(table)
    await client.query('update accounts set created_in = null where created_in = $1', [workspaceId])
    const { rowCount } = await client.query('delete from workspaces where id = $1', [workspaceId])
    return count + (rowCount ?? 0)
  } finally {
    await client.query('reset foyer.closed')
  }
}
