// Each minute: vectors for what was published since, in the workspaces that have an embedding model.
import { embedChunks } from '../domain/knowledge/vectors/embed-chunks.ts'
import { listBehind } from '../domain/knowledge/vectors/queries.ts'
import { systemCtx } from '../platform/ctx/system-ctx.ts'
import type { JobDeps } from './deps.ts'

/** The next run begins with those that were left. */
const WORKSPACES_MAX = 1_000
const AT_ONCE = 4
/** So that a run is over when the next one begins. */
const RUN_MS = 45_000
/** A provider that is slow or fails takes one of the places this long at most. */
const WORKSPACE_MS = 15_000

/** A provider that fails is left until the next run. */
export const embedKnowledge = async (deps: JobDeps): Promise<void> => {
  const begin = performance.now()
  const isOver = () => deps.isStopping() || performance.now() - begin >= RUN_MS
  const left = await listBehind(deps.db, WORKSPACES_MAX)
  const work = async (): Promise<void> => {
    for (let id = left.pop(); id !== undefined && !isOver(); id = left.pop()) await embedOne(deps, id, isOver)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

const embedOne = async (deps: JobDeps, workspaceId: string, isOver: () => boolean): Promise<void> => {
  const ctx = systemCtx(deps, workspaceId)
  const begin = performance.now()
  try {
    await embedChunks(ctx, () => isOver() || performance.now() - begin >= WORKSPACE_MS)
  } catch (error) {
    ctx.log.warn({ err: error, workspaceId }, 'knowledge could not be embedded')
  }
}
