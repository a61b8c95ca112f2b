import { StartError } from '../../platform/start-error.ts'
import type { Config } from '../config.ts'
import { reopenWorkspace } from './close-workspace.ts'
import { findMove } from './moves.ts'
import { type Opened, openSource } from './open-both.ts'

/** Opens a workspace again whose move was interrupted. Throws StartError unless one was. */
export const reopenInterrupted = async (
  config: Config,
  options: { workspaceId: string; say: (line: string) => void },
): Promise<Opened['workspace']> => {
  const { source, workspace, close } = await openSource(config, options)
  try {
    const move = await findMove(source, workspace.id)
    if (!move) throw new StartError('The workspace is open.')
    if (move.state === 'moved')
      throw new StartError(
        `The workspace was moved to ${move.movedTo}. To have it back, delete it here and move it back from there.`,
      )
    if (move.state === 'arriving')
      throw new StartError(
        'The workspace has not arrived here completely. Run the move that brings it here again.',
      )
    await reopenWorkspace(source, workspace.id)
    return workspace
  } finally {
    await close()
  }
}
