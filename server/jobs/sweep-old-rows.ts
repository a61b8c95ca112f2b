// Deletes what is kept for a while only: events (live streams resume from them), the answers under Idempotency-Keys,
// what webhooks left over, and visitors of a web chat who never wrote.
import { sql } from 'kysely'
import { IDEMPOTENCY_KEPT_MS } from '../http/idempotency.ts'
import { deleteLeftovers } from '../inbound/leftovers.ts'
import { deleteParked } from '../resources/conversations/status-queries.ts'
import { deleteOldCodes, deleteOldSessions } from '../resources/sessions/queries.ts'
import { sessionBounds } from '../resources/sessions/session-time.ts'
import { deleteSilentVisitors } from '../resources/visitors/queries.ts'
import type { JobDeps } from './deps.ts'

export const EVENTS_KEPT_MS = 24 * 3_600_000
export const SILENT_VISITORS_KEPT_MS = 30 * 24 * 3_600_000
/** A status that overtook the answer to its send waits seconds for it; a retried send, minutes. */
export const PARKED_KEPT_MS = 24 * 3_600_000
/** What webhooks brought and nobody understood: long enough to look into a complaint. */
export const LEFTOVERS_KEPT_MS = 90 * 24 * 3_600_000
/** As long as they count against those who ask for more of them. */
export const SIGN_IN_CODES_KEPT_MS = 24 * 3_600_000
/** Small batches, so that no lock is held long; what is left over at the end is for the next run. */
const BATCH = 5_000
const BATCHES_MAX = 2_000

type SweepDeps = Pick<JobDeps, 'db' | 'now' | 'isStopping'>

export const sweepOldRows = async (deps: SweepDeps): Promise<void> => {
  const { db } = deps
  const cutoff = (keptMs: number) => new Date(deps.now().getTime() - keptMs)
  await inBatches(deps, async () => {
    const { numAffectedRows } = await sql`
      delete from events where (tx, id) in (
        select tx, id from events where created_at < ${cutoff(EVENTS_KEPT_MS)} order by created_at limit ${BATCH})`.execute(
      db,
    )
    return Number(numAffectedRows ?? 0)
  })
  await inBatches(deps, async () => {
    const { numAffectedRows } = await sql`
      delete from idempotency_keys where (workspace_id, operation, key) in (
        select workspace_id, operation, key from idempotency_keys
        where created_at < ${cutoff(IDEMPOTENCY_KEPT_MS)} order by created_at limit ${BATCH})`.execute(db)
    return Number(numAffectedRows ?? 0)
  })
  await inBatches(deps, () => deleteParked(db, cutoff(PARKED_KEPT_MS), BATCH))
  await inBatches(deps, () => deleteLeftovers(db, cutoff(LEFTOVERS_KEPT_MS), BATCH))
  await inBatches(deps, () => deleteOldCodes(db, cutoff(SIGN_IN_CODES_KEPT_MS), BATCH))
  await inBatches(deps, () => deleteOldSessions(db, sessionBounds(deps.now()), BATCH))
  await inBatches(deps, () => deleteSilentVisitors(db, cutoff(SILENT_VISITORS_KEPT_MS), BATCH))
}

const inBatches = async ({ isStopping }: SweepDeps, deleteBatch: () => Promise<number>): Promise<void> => {
  for (let batch = 0; batch < BATCHES_MAX && !isStopping(); batch++) if ((await deleteBatch()) < BATCH) return
}
