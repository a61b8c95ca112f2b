// Deletes what is kept for a day: events (live streams resume from them) and the answers under Idempotency-Keys.
import { type RawBuilder, sql } from 'kysely'
import { IDEMPOTENCY_KEPT_MS } from '../http/idempotency.ts'
import type { JobDeps } from './deps.ts'

export const EVENTS_KEPT_MS = 24 * 3_600_000
/** Small batches, so that no lock is held long; what is left over at the end is for the next run. */
const BATCH = 5_000
const BATCHES_MAX = 2_000

export const sweepOldRows = async (deps: Pick<JobDeps, 'db' | 'now' | 'isStopping'>): Promise<void> => {
  const cutoff = (keptMs: number) => new Date(deps.now().getTime() - keptMs)
  await deleteAll(
    deps,
    sql`delete from events where (tx, id) in (
      select tx, id from events where created_at < ${cutoff(EVENTS_KEPT_MS)} order by created_at limit ${BATCH})`,
  )
  await deleteAll(
    deps,
    sql`delete from idempotency_keys where (workspace_id, operation, key) in (
      select workspace_id, operation, key from idempotency_keys
      where created_at < ${cutoff(IDEMPOTENCY_KEPT_MS)} order by created_at limit ${BATCH})`,
  )
}

const deleteAll = async (
  deps: Pick<JobDeps, 'db' | 'isStopping'>,
  statement: RawBuilder<unknown>,
): Promise<void> => {
  for (let batch = 0; batch < BATCHES_MAX && !deps.isStopping(); batch++) {
    const { numAffectedRows } = await statement.execute(deps.db)
    if ((numAffectedRows ?? 0n) < BATCH) return
  }
}
