// How webhooks are doing on the whole server, for operators.
import { sql } from 'kysely'
import type { Db } from '../../platform/db/pool.ts'
import { isEntitled } from './entitled.ts'
import { PENDING_COUNTED_MAX } from './schema.ts'

export type WebhookBacklog = {
  /** Deliveries that wait, of each endpoint up to a number. */
  waiting: number
  /** How long the oldest one has been due that nothing keeps from being sent: the receiver works. */
  oldestSeconds: number
  working: number
  failing: number
  paused: number
  /** By Foyer, not by an admin. */
  disabled: number
}

/** One statement; it looks at each endpoint, and at its part of the index of what waits. */
export const readWebhookBacklog = async (db: Db, now: Date): Promise<WebhookBacklog> => {
  const { rows } = await sql<WebhookBacklog>`
    select coalesce(sum(w.count), 0)::integer as waiting,
      coalesce(greatest(extract(epoch from ${now}::timestamptz - min(w.due) filter (where e.status = 'enabled'
        and e.probe_at is null and e.skipped_at is null and ${isEntitled})), 0), 0)::float8 as "oldestSeconds",
      count(*) filter (where e.status = 'enabled' and e.failing_since is null)::integer as working,
      count(*) filter (where e.status = 'enabled' and e.failing_since is not null)::integer as failing,
      count(*) filter (where e.status = 'paused')::integer as paused,
      count(*) filter (where e.status = 'disabled' and e.status_reason <> 'admin')::integer as disabled
    from webhook_endpoints e cross join lateral (
      select count(*) as count, min(p.not_before) as due from (
        select not_before from webhook_deliveries d
        where d.workspace_id = e.workspace_id and d.endpoint_id = e.id and d.state in ('pending', 'held')
        order by not_before
        limit ${PENDING_COUNTED_MAX}::integer) p) w
    where e.deleted_at is null`.execute(db)
  return rows[0]!
}
