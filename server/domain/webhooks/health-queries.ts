// The SQL of endpoints' health; health.ts says what it means.
import { sql } from 'kysely'
import type { Db } from '../../platform/db/pool.ts'
import { rowsOf } from '../../platform/db/rows-of.ts'
import type { Health } from './health.ts'

type Place = { workspaceId: string; endpointId: string }
type HealthRow = Omit<Health, 'failingSinceMs' | 'probeAtMs' | 'lastSuccessAtMs'> &
  Place & { failingSince: string | null; probeAt: string | null; lastSuccessAt: string | null }

const msOf = (at: string | null): number | null => (at === null ? null : Date.parse(at))
const isoOf = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString())

/** Locked until the transaction ends, always in the same order. */
export const lockHealth = async (
  trx: Db,
  places: readonly Place[],
): Promise<(Place & { health: Health })[]> => {
  const { rows } = await sql<HealthRow>`
    select workspace_id as "workspaceId", id as "endpointId", status, ordering, failures,
      failing_since as "failingSince", failing_id as "failingId", is_failing_widely as "isFailingWidely",
      probe_at as "probeAt", probes, places, last_success_at as "lastSuccessAt", warnings
    from webhook_endpoints
    where (workspace_id, id) in (
      select "workspaceId", "endpointId" from ${rowsOf(places)} as r ("workspaceId" text, "endpointId" text))
    order by workspace_id, id
    for no key update`.execute(trx)
  return rows.map(({ workspaceId, endpointId, failingSince, probeAt, lastSuccessAt, ...rest }) => ({
    workspaceId,
    endpointId,
    health: {
      ...rest,
      failingSinceMs: msOf(failingSince),
      probeAtMs: msOf(probeAt),
      lastSuccessAtMs: msOf(lastSuccessAt),
    },
  }))
}

/** With `statusReason`, the endpoint has just been disabled: the events from the next on are missed. */
export const updateHealth = async (
  trx: Db,
  list: readonly (Place & { health: Health; statusReason: string | null })[],
  now: Date,
): Promise<void> => {
  const rows = list.map(({ workspaceId, endpointId, health, statusReason }) => {
    const { failingSinceMs, probeAtMs, lastSuccessAtMs, ...rest } = health
    return {
      workspaceId,
      endpointId,
      statusReason,
      ...rest,
      failingSince: isoOf(failingSinceMs),
      probeAt: isoOf(probeAtMs),
      lastSuccessAt: isoOf(lastSuccessAtMs),
    }
  })
  await sql`
    update webhook_endpoints e
    set failures = r.failures, failing_since = r."failingSince", failing_id = r."failingId",
      is_failing_widely = r."isFailingWidely", probe_at = r."probeAt", probes = r.probes, places = r.places,
      last_success_at = r."lastSuccessAt", warnings = r.warnings,
      status = r.status, status_reason = coalesce(r."statusReason", e.status_reason),
      updated_at = case when r."statusReason" is null then e.updated_at else ${now} end,
      missed_seq = case when r."statusReason" is null then e.missed_seq
        else (select coalesce(max(f.seq), 0) + 1 from feed f where f.workspace_id = e.workspace_id) end
    from ${rowsOf(rows)} as r ("workspaceId" text, "endpointId" text, "statusReason" text, status text,
      failures integer, "failingSince" timestamptz, "failingId" text, "isFailingWidely" boolean,
      "probeAt" timestamptz, probes integer, places integer, "lastSuccessAt" timestamptz, warnings integer)
    where e.workspace_id = r."workspaceId" and e.id = r."endpointId"`.execute(trx)
}

/**
 * Takes back what failed since the endpoint's last success, because the endpoint was down: those attempts don't count,
 * and those behind them keep waiting.
 */
export const reopenDeliveries = async (
  trx: Db,
  list: readonly (Place & { sinceMs: number })[],
  now: Date,
): Promise<void> => {
  const rows = list.map(({ sinceMs, ...place }) => ({ ...place, since: isoOf(sinceMs) }))
  await sql`
    with down as (
      select * from ${rowsOf(rows)} as r ("workspaceId" text, "endpointId" text, since timestamptz)
    ), failed as (
      select d.workspace_id, d.id, count(a.number) as count
      from down r
        join webhook_deliveries d on d.workspace_id = r."workspaceId" and d.endpoint_id = r."endpointId"
          and d.state = 'pending' and d.last_at >= r.since
        join webhook_attempts a on a.workspace_id = d.workspace_id and a.delivery_id = d.id and a.at >= r.since
          and a.is_counted
      group by 1, 2
    ), uncounted as (
      update webhook_attempts a set is_counted = false
      from failed f join down r on r."workspaceId" = f.workspace_id
      where a.workspace_id = f.workspace_id and a.delivery_id = f.id and a.at >= r.since
    )
    update webhook_deliveries d
    set tries = d.tries - coalesce(f.count, 0), aside_at = null,
      not_before = case when d.state = 'held' then 'infinity' else ${now}::timestamptz end
    from down r
      join webhook_deliveries o on o.workspace_id = r."workspaceId" and o.endpoint_id = r."endpointId"
        and (o.state = 'pending' and o.last_at >= r.since or o.state = 'held' and o.not_before < 'infinity')
      left join failed f on f.workspace_id = o.workspace_id and f.id = o.id
    where d.workspace_id = o.workspace_id and d.id = o.id`.execute(trx)
}
