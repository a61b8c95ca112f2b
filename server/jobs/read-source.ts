// Reads websites and files into knowledge. A job is one turn, after which others have theirs: sites may be slow, and
// there are only a few slots, of which a workspace has two.
import { readSource as readTurn } from '../domain/knowledge/sources/read-source.ts'
import { listDueSources } from '../domain/knowledge/sources/source-queries.ts'
import { systemCtx } from '../platform/ctx/system-ctx.ts'
import { addJob } from '../platform/queue/add-job.ts'
import type { JobPayloads } from '../platform/queue/catalogue.ts'
import type { JobDeps } from './deps.ts'

/** Out of the job slots in a process. */
const SLOTS_MAX = 8
const SLOTS_PER_WORKSPACE = 2
const TURN_MS = 20_000
/** Many may wait, so not too often. */
const BUSY_RETRY_MS = 5_000
/** A stopping worker aborts requests; the next one repeats them. */
const STOP_CHECK_MS = 250
const DUE_MAX = 200

/** How many sources of each workspace this process is reading. */
const taken = new Map<string, number>()

const isFull = (workspaceId: string): boolean => {
  const all = [...taken.values()].reduce((sum, count) => sum + count, 0)
  return all >= SLOTS_MAX || (taken.get(workspaceId) ?? 0) >= SLOTS_PER_WORKSPACE
}

const inSlot = async <T>(workspaceId: string, work: () => Promise<T>): Promise<T> => {
  taken.set(workspaceId, (taken.get(workspaceId) ?? 0) + 1)
  try {
    return await work()
  } finally {
    const left = taken.get(workspaceId)! - 1
    if (left > 0) taken.set(workspaceId, left)
    else taken.delete(workspaceId)
  }
}

export const readSource = async (
  deps: JobDeps,
  { workspaceId, sourceId }: JobPayloads['read_source'],
): Promise<void> => {
  const ctx = systemCtx(deps, workspaceId)
  const payload = { workspaceId, sourceId }
  if (isFull(workspaceId))
    return addJob(ctx, 'read_source', payload, { runAt: new Date(deps.now().getTime() + BUSY_RETRY_MS) })
  const stopping = new AbortController()
  const timer = setInterval(() => deps.isStopping() && stopping.abort(), STOP_CHECK_MS)
  try {
    const again = await inSlot(workspaceId, () =>
      readTurn(ctx, sourceId, { signal: stopping.signal, turnMs: TURN_MS }),
    )
    if (again) await addJob(ctx, 'read_source', payload, { runAt: again })
  } finally {
    clearInterval(timer)
  }
}

/** Starts what is due: websites that were last read a week ago, and what a process that died was reading. */
export const sweepSources = async (deps: JobDeps): Promise<void> => {
  await addJob(deps, 'read_source', await listDueSources(deps.db, deps.now(), DUE_MAX))
}
