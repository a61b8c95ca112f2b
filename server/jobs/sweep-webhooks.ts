import {
  deleteGone,
  deleteOldDeliveries,
  disableUnentitled,
  dropDeliveries,
  endSkipping,
  listExpired,
  listSkipped,
} from '../domain/webhooks/sweep-queries.ts'
import { type SystemDeps, systemCtx } from '../platform/ctx/system-ctx.ts'
import type { JobDeps } from './deps.ts'

const BATCH = 5_000
const BATCHES_MAX = 2_000

type SweepDeps = SystemDeps & Pick<JobDeps, 'isStopping'>

/** What deleted, skipped and old deliveries leave behind. The next run handles what is too much for one. */
export const sweepWebhooks = async (deps: SweepDeps): Promise<void> => {
  const { db, now } = deps
  await disableUnentitled(db, { now: now(), ctxOf: (workspaceId) => systemCtx(deps, workspaceId) })
  await inBatches(deps, async () => {
    const skipped = await listSkipped(db, BATCH)
    await dropDeliveries(db, skipped, 'skipped', now())
    return skipped.length
  })
  await endSkipping(db)
  await inBatches(deps, () => deleteGone(db, BATCH))
  await inBatches(deps, () => deleteOldDeliveries(db, now(), BATCH))
  await inBatches(deps, async () => {
    const expired = await listExpired(db, now(), BATCH)
    await dropDeliveries(db, expired, 'expired', now())
    return expired.length
  })
}

const inBatches = async ({ isStopping }: SweepDeps, work: () => Promise<number>): Promise<void> => {
  for (let batch = 0; batch < BATCHES_MAX && !isStopping(); batch++) if ((await work()) === 0) return
}
