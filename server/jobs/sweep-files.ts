// Looks after attachments whose process ended at a bad moment: pending ones that have no job, and those that no message
// has taken, which go with their files. Runs every minute and when a worker starts, on any number of processes at once.
import { UNBOUND_KEPT_MS } from '../resources/attachments/attach.ts'
import { deleteUnbound, listOverdueFiles, listUnbound } from '../resources/attachments/queries.ts'
import { addJobs } from './add-job.ts'
import type { JobPayloads } from './catalogue.ts'
import type { JobDeps } from './deps.ts'

/** Each job goes on until nothing is due, so a few of them are enough. */
const WAKE_MAX = 8
const BATCH = 500
const BATCHES_MAX = 100

export const sweepFiles = async (
  deps: JobDeps,
  { isStart = false }: JobPayloads['sweep_files'],
): Promise<void> => {
  const { db, timing } = deps
  const before = (ms: number) => new Date(deps.now().getTime() - ms)
  const overdue = await listOverdueFiles(db, before(isStart ? 0 : timing.overdueAfterMs), WAKE_MAX)
  await addJobs(deps, 'fetch_media', overdue)
  for (let batch = 0; batch < BATCHES_MAX && !deps.isStopping(); batch++) {
    const unbound = await listUnbound(db, before(UNBOUND_KEPT_MS), BATCH)
    for (const { key } of unbound) if (key) await deps.files.remove(key)
    await deleteUnbound(db, unbound)
    if (unbound.length < BATCH) return
  }
}
