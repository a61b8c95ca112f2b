// What endpoints no longer need: dropped or deleted in batches, so that no lock is held long.
import { sql } from 'kysely'
import { isAtWork } from '../../platform/db/closed-workspaces.ts'
import { idFloor } from '../../platform/db/id.ts'
import type { Db } from '../../platform/db/pool.ts'
import { rowsOf } from '../../platform/db/rows-of.ts'
import { WEBHOOKS_CHANNEL } from './endpoint-queries.ts'
import { isEntitled } from './entitled.ts'
import { lockHealth } from './health-queries.ts'
import { callNext } from './record-attempts.ts'
import { type CtxOf, type Trouble, tellOfTrouble } from './tell-of-trouble.ts'

const DAY_MS = 24 * 3_600_000
/** What was delivered or dropped, and what failed or still waits. */
export const DELIVERED_KEPT_MS = 7 * DAY_MS
export const FAILED_KEPT_MS = 30 * DAY_MS

export type DeliveryRef = { workspaceId: string; endpointId: string; id: string }

/** What waited for endpoints whose backlog is skipped. */
export const listSkipped = async (db: Db, rowsMax: number): Promise<DeliveryRef[]> => {
  const { rows } = await sql<DeliveryRef>`
    select w.workspace_id as "workspaceId", w.endpoint_id as "endpointId", w.id
    from webhook_endpoints e cross join lateral (
      select l.workspace_id, l.endpoint_id, l.id from webhook_deliveries l
      where l.workspace_id = e.workspace_id and l.endpoint_id = e.id and l.state in ('pending', 'held')
        and l.created_at <= e.skipped_at
      limit ${rowsMax}::integer
    ) w
    where e.skipped_at is not null and ${isAtWork('e.workspace_id')}
    limit ${rowsMax}::integer`.execute(db)
  return rows
}

/** Those for which nothing is left to skip send again. */
export const endSkipping = async (db: Db): Promise<void> => {
  await sql`
    update webhook_endpoints e set skipped_at = null
    where e.skipped_at is not null and ${isAtWork('e.workspace_id')} and not exists (
      select from webhook_deliveries l
      where l.workspace_id = e.workspace_id and l.endpoint_id = e.id and l.state in ('pending', 'held')
        and l.created_at <= e.skipped_at)
    returning pg_notify(${WEBHOOKS_CHANNEL}, '')`.execute(db)
}

/** Those of tokens that lost the right to have them. The events from the next on are missed. */
export const disableUnentitled = async (
  db: Db,
  { now, ctxOf }: { now: Date; ctxOf: CtxOf },
): Promise<void> => {
  const afterCommit = await db.transaction().execute(async (trx) => {
    const { rows } = await sql<Omit<Trouble, 'reason' | 'warnings'>>`
    update webhook_endpoints e
    set status = 'disabled', status_reason = 'scope_lost', updated_at = ${now},
      missed_seq = (select coalesce(max(f.seq), 0) + 1 from feed f where f.workspace_id = e.workspace_id)
    where e.status <> 'disabled' and e.deleted_at is null and not ${isEntitled} and ${isAtWork('e.workspace_id')}
    returning e.workspace_id as "workspaceId", e.id as "endpointId", e.failing_since as since`.execute(trx)
    const troubles = rows.map((row) => ({ ...row, reason: 'scope_lost', warnings: null }))
    return tellOfTrouble(trx, troubles, ctxOf)
  })
  afterCommit()
}

/** The log of endpoints that were deleted, and then they themselves. Returns how many. */
export const deleteGone = async (db: Db, rowsMax: number): Promise<number> => {
  const { numAffectedRows } = await sql`
    delete from webhook_deliveries where (workspace_id, id) in (
      select d.workspace_id, d.id
      from webhook_endpoints e
        join webhook_deliveries d on d.workspace_id = e.workspace_id and d.endpoint_id = e.id
      where e.deleted_at is not null
      limit ${rowsMax}::integer)`.execute(db)
  const count = Number(numAffectedRows ?? 0)
  if (count === 0)
    await sql`
      delete from webhook_endpoints e
      where e.deleted_at is not null and not exists (
        select from webhook_deliveries d where d.workspace_id = e.workspace_id and d.endpoint_id = e.id)`.execute(
      db,
    )
  return count
}

/** Returns how many. */
export const deleteOldDeliveries = async (db: Db, now: Date, rowsMax: number): Promise<number> => {
  const floor = (keptMs: number) => idFloor(now.getTime() - keptMs)
  const { numAffectedRows } = await sql`
    delete from webhook_deliveries where (workspace_id, id) in (
      select d.workspace_id, d.id
      from webhook_endpoints e cross join lateral (
        select l.workspace_id, l.id from webhook_deliveries l
        where l.workspace_id = e.workspace_id and l.endpoint_id = e.id and l.id < ${floor(DELIVERED_KEPT_MS)}
          and (l.state in ('delivered', 'dropped') or l.state = 'failed' and l.id < ${floor(FAILED_KEPT_MS)})
        order by l.id
        limit ${rowsMax}::integer
      ) d
      limit ${rowsMax}::integer)`.execute(db)
  return Number(numAffectedRows ?? 0)
}

/** Waiting for longer than what failed is kept. */
export const listExpired = async (db: Db, now: Date, rowsMax: number): Promise<DeliveryRef[]> => {
  const { rows } = await sql<DeliveryRef>`
    select d.workspace_id as "workspaceId", d.endpoint_id as "endpointId", d.id
    from webhook_endpoints e cross join lateral (
      select l.workspace_id, l.endpoint_id, l.id from webhook_deliveries l
      where l.workspace_id = e.workspace_id and l.endpoint_id = e.id
        and l.id < ${idFloor(now.getTime() - FAILED_KEPT_MS)} and l.state in ('pending', 'held')
      order by l.id
      limit ${rowsMax}::integer
    ) d
    where ${isAtWork('d.workspace_id')}
    limit ${rowsMax}::integer`.execute(db)
  return rows
}

/** Ends what won't be sent any more, and lets those behind it go. */
export const dropDeliveries = async (
  db: Db,
  refs: readonly DeliveryRef[],
  reason: 'skipped' | 'expired',
  now: Date,
): Promise<void> => {
  if (refs.length === 0) return
  await db.transaction().execute(async (trx) => {
    await lockHealth(trx, refs)
    await sql`
      update webhook_deliveries d set state = 'dropped', dropped_reason = ${reason}, claimed_by = null
      from ${rowsOf(refs)} as r ("workspaceId" text, id text)
      where d.workspace_id = r."workspaceId" and d.id = r.id and d.state in ('pending', 'held', 'sending')`.execute(
      trx,
    )
    await callNext(trx, refs, now)
  })
}
