// What a move would copy, without changing anything.
import type { Config } from '../config.ts'
import { listFiles } from './files.ts'
import { openBoth } from './open-both.ts'
import { listMovedTables } from './tables.ts'

/** Measured on two cores that had other work too: docs/decisions/0110. */
const ROWS_PER_SECOND = 8_000
const FILE_BYTES_PER_SECOND = 20_000_000
/** Ending what is under way, and the guards on every table. */
const CLOSING_SECONDS = 3

export type Estimate = {
  workspace: { id: string; name: string }
  to: string
  rows: Record<string, number>
  files: number
  fileBytes: number
  /** While nobody can write to the workspace. */
  closedSeconds: number
  /** Before that, while it is open. */
  filesSeconds: number
}

/** Throws StartError for what would stop the move too. */
export const estimateMove = async (
  config: Config,
  options: { workspaceId: string; to: string; say: (line: string) => void },
): Promise<Estimate> => {
  const { source, target, workspace, address, close } = await openBoth(config, options)
  try {
    const { rows: there } = await target.query('select from workspaces where id = $1', [workspace.id])
    const tables = await listMovedTables(source)
    const { rows } = await source.query<{ name: string; count: string }>(
      tables
        .map(({ name, owner }) => `select '${name}' as name, count(*) from ${name} where ${owner} = $1`)
        .join(' union all '),
      [workspace.id],
    )
    const counts = rows
      .map(({ name, count }): [string, number] => [name, Number(count)])
      .filter(([, count]) => count > 0)
    const files = await listFiles(source, workspace.id)
    const fileBytes = files.reduce((sum, { size }) => sum + size, 0)
    const total = counts.reduce((sum, [, count]) => sum + count, 0)
    return {
      workspace,
      to: address,
      ...(there.length > 0 && { isThereAlready: true }),
      rows: Object.fromEntries(counts),
      files: files.length,
      fileBytes,
      closedSeconds: CLOSING_SECONDS + Math.ceil(total / ROWS_PER_SECOND),
      filesSeconds: Math.ceil(fileBytes / FILE_BYTES_PER_SECOND),
    }
  } finally {
    await close()
  }
}
