// Cleans up attachments whose process died: pending ones without a job, and those never used by a message, which are
// deleted with their files. Runs every minute and when a worker starts, on any number of processes at once.
import { UNBOUND_KEPT_MS } from '../domain/attachments/attach.ts'
import { deleteExpired } from '../domain/attachments/kept-file-queries.ts'
import { listOverdueFiles, releaseFilesOf } from '../domain/attachments/pending-queries.ts'
import { deleteUnbound, listUnbound } from '../domain/attachments/queries.ts'
import { addJob } from '../platform/queue/add-job.ts'
import type { JobPayloads } from '../platform/queue/catalogue.ts'
import type { JobDeps } from './deps.ts'

/** Each job continues until nothing is due, so a few of them are enough. */
const WAKE_MAX = 8
const BATCH = 500
const BATCHES_MAX = 100
const EXPIRED_MAX = 1_000

/** Releases what processes that died were downloading. */
export const releaseFiles = async (deps: JobDeps, claimants: readonly string[]): Promise<void> => {
  const released = await releaseFilesOf(deps.db, claimants, deps.now())
  await addJob(deps, 'fetch_media', released.slice(0, WAKE_MAX))
}

export const sweepFiles = async (
  deps: JobDeps,
  { isStart = false }: JobPayloads['sweep_files'],
): Promise<void> => {
  const { db, timing } = deps
  const before = (ms: number) => new Date(deps.now().getTime() - ms)
  const overdue = await listOverdueFiles(db, before(isStart ? 0 : timing.overdueAfterMs), WAKE_MAX)
  await addJob(deps, 'fetch_media', overdue)
  await deleteExpired(db, deps.now(), EXPIRED_MAX)
  for (let batch = 0; batch < BATCHES_MAX && !deps.isStopping(); batch++) {
    const unbound = await listUnbound(db, before(UNBOUND_KEPT_MS), BATCH)
    for (const { key } of unbound) if (key) await deps.files.remove(key)
    await deleteUnbound(db, unbound)
    if (unbound.length < BATCH) return
  }
}
