import { claimDueLeftovers, findNextTry } from '../inbound/leftovers/queries.ts'
import { replayLeftover } from '../inbound/replay/replay.ts'
import { systemCtx } from '../platform/ctx/system-ctx.ts'
import { addJob } from '../platform/queue/add-job.ts'
import type { JobDeps } from './deps.ts'

/**
 * Each may be an email of 35 MB, so they are read one by one; a process that dies loses no more attempts than this.
 */
const TOGETHER_MAX = 20
const BATCHES_MAX = 100
/** The minimum delay before the next run. */
const REST_MS = 1_000

/**
 * Retries what is due, and runs again when the next one is. Also runs every minute. The delay grows with each
 * failure, up to six hours.
 */
export const retryLeftovers = async (deps: JobDeps): Promise<void> => {
  for (let batch = 0; batch < BATCHES_MAX && !deps.isStopping(); batch++) {
    const due = await claimDueLeftovers(deps.db, deps.now(), TOGETHER_MAX)
    for (const { workspaceId, ...ref } of due) {
      const { stored } = await replayLeftover(systemCtx(deps, workspaceId), ref).catch((error) => {
        deps.log.warn({ err: error, ...ref }, 'a leftover could not be retried')
        return { stored: false }
      })
      if (stored) deps.log.info(ref, 'a leftover was stored')
    }
    if (due.length < TOGETHER_MAX) break
  }
  const next = await findNextTry(deps.db)
  if (next)
    await addJob(
      deps,
      'retry_leftovers',
      {},
      { runAt: new Date(Math.max(next.getTime(), deps.now().getTime() + REST_MS)) },
    )
}
