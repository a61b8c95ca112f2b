// Decides what happens with the workspace's files.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Connection } from '../../platform/db/connection.ts'
import { StartError } from '../../platform/start-error.ts'
import type { Config } from '../config.ts'
import { openFiles } from '../open-files.ts'
import { checkSpace, type FileCopier, listFiles, makeFileCopier } from './files.ts'

/** `same`: both installations use one storage. Null: not said. */
export type TargetFiles = Pick<Config, 'dataDir' | 'filesStorage'> | 'same' | null

type Options = { workspaceId: string; target: { files: TargetFiles }; say: (line: string) => void }

/** Null if nothing has to be copied. Throws StartError if that isn't known, or the files don't fit. */
export const prepareFiles = async (
  config: Config,
  source: Connection,
  { workspaceId, target: { files: to }, say }: Options,
): Promise<FileCopier | null> => {
  if (to === 'same') return null
  const files = await listFiles(source, workspaceId)
  if (to === null) {
    if (files.length === 0) return null
    throw new StartError(
      `The workspace has ${files.length} files. Set TARGET_DATA_DIR or TARGET_FILES_URL to where the target keeps its own, or add --same-files if both use one storage.`,
    )
  }
  if (to.filesStorage === null) {
    await mkdir(to.dataDir, { recursive: true })
    await checkSpace(to.dataDir, files)
    if (config.filesStorage === null && join(to.dataDir) === join(config.dataDir)) return null
  }
  return makeFileCopier(workspaceId, { from: openFiles(config), to: openFiles(to) }, say)
}
