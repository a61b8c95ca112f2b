import { StartError } from '../../platform/start-error.ts'
import type { Config } from '../config.ts'
import { openFiles } from '../open-files.ts'
import { deleteRows } from './delete-rows.ts'
import { listFiles } from './files.ts'
import { dropGuards } from './guards.ts'
import { findMove, forgetMove } from './moves.ts'
import { openSource } from './open-both.ts'

export type Deleted = { workspace: { id: string; name: string }; rows: number; files: number }

/**
 * Deletes what a moved workspace has left here, with its files unless both installations use one storage. Killed in
 * between, it can be run again. Throws StartError unless the workspace has moved.
 */
export const deleteMovedWorkspace = async (
  config: Config,
  options: { workspaceId: string; say: (line: string) => void },
): Promise<Deleted> => {
  const { source, workspace, close } = await openSource(config, options)
  try {
    const move = await findMove(source, workspace.id)
    if (move?.state !== 'moved')
      throw new StartError('Only a workspace that was moved can be deleted, because this is its only copy.')
    const store = openFiles(config)
    const files = move.hasOwnFiles ? await listFiles(source, workspace.id) : []
    for (const { key } of files) await store.remove(key)
    const rows = await deleteRows(source, workspace.id, options.say)
    await dropGuards(source, workspace.id)
    await forgetMove(source, workspace.id)
    return { workspace, rows, files: files.length }
  } finally {
    await close()
  }
}
