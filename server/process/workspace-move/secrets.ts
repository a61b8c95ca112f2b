// The workspace's encrypted values, for an installation with another SECRET_KEY.
import type { Connection } from '../../platform/db/connection.ts'
import type { Seal } from '../../platform/seal.ts'
import { StartError } from '../../platform/start-error.ts'
import {
  openValue,
  replaceValue,
  SEALED_COLUMNS,
  type SealedColumn,
  type SealedValue,
} from '../sealed-columns.ts'

type Row = Record<string, string>

/** What a workspace has. */
const COLUMNS = SEALED_COLUMNS.filter(({ key }) => key.includes('workspace_id'))

const listValues = async (
  client: Connection,
  column: SealedColumn,
  workspaceId: string | null,
  limit: number | null,
): Promise<SealedValue[]> => {
  const { table, column: name, key, more = [] } = column
  const { rows } = await client.query<Row & { sealed: Buffer }>(
    `select ${[...key, ...more].join(', ')}, ${name} as sealed from ${table}
     where ${name} is not null and ($1::text is null or workspace_id = $1) order by ${key.join(', ')} desc limit $2`,
    [workspaceId, limit],
  )
  // The columns are as listed, and the type can't say so.
  return rows.map(({ sealed, ...row }) => ({ column, row: row as Row, sealed }))
}

/** One of this many newest values must open: some may have been encrypted before an earlier key was lost. */
const LOOK_MAX = 20

/** Throws StartError if the key opens none of the values that are in the target already. */
export const checkTargetKey = async (target: Connection, seal: Seal): Promise<void> => {
  for (const column of COLUMNS) {
    const values = await listValues(target, column, null, LOOK_MAX)
    if (values.length === 0) continue
    if (values.some((value) => openValue(seal, value) !== null)) return
    throw new StartError(
      'The target has another SECRET_KEY. Set TARGET_SECRET_KEY to that one, for this command.',
    )
  }
}

/** Encrypts the workspace's values in the target with the target's key. Returns how many, and the columns with unreadable ones. */
export const resealIn = async (
  target: Connection,
  workspaceId: string,
  keys: { from: Seal; to: Seal },
): Promise<{ resealed: number; unreadable: string[] }> => {
  const unreadable = new Set<string>()
  let resealed = 0
  for (const column of COLUMNS)
    for (const value of await listValues(target, column, workspaceId, null)) {
      const text = openValue(keys.from, value)
      if (text === null) unreadable.add(`${column.table}.${column.column}`)
      else {
        await replaceValue(target, value, keys.to.seal(text, column.owner(value.row)))
        resealed += 1
      }
    }
  return { resealed, unreadable: [...unreadable] }
}
