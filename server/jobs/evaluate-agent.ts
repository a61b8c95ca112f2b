// Plays runs of the AI agent's tests. A job is one turn, after which others have theirs.
import { playRun } from '../domain/ai/evaluation/play-run.ts'
import { systemCtx } from '../platform/ctx/system-ctx.ts'
import { addJob } from '../platform/queue/add-job.ts'
import type { JobPayloads } from '../platform/queue/catalogue.ts'
import { makeGate } from '../platform/queue/gate.ts'
import type { JobDeps } from './deps.ts'

/** Out of the job slots in a process; a workspace has one run at a time. */
const RUNS_MAX = 4
const TURN_MS = 20_000
const BUSY_RETRY_MS = 2_000
const STOP_CHECK_MS = 250

const runs = makeGate(RUNS_MAX)

export const evaluateAgent = async (
  deps: JobDeps,
  { workspaceId, runId }: JobPayloads['evaluate_agent'],
): Promise<void> => {
  const ctx = systemCtx(deps, workspaceId)
  const payload = { workspaceId, runId }
  if (runs.free() === 0)
    return addJob(ctx, 'evaluate_agent', payload, { runAt: new Date(deps.now().getTime() + BUSY_RETRY_MS) })
  const stopping = new AbortController()
  const timer = setInterval(() => deps.isStopping() && stopping.abort(), STOP_CHECK_MS)
  try {
    const hasMore = await runs.through(() =>
      playRun(ctx, runId, { signal: stopping.signal, turnMs: TURN_MS }),
    )
    if (hasMore) await addJob(ctx, 'evaluate_agent', payload)
  } finally {
    clearInterval(timer)
  }
}
