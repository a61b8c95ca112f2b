// What is due, and claiming it. The deliveries are the queue; see fan-out.ts and record-attempts.ts for how they get
// into it and out of it.
import { sql } from 'kysely'
import { CLAIMANT } from '../../platform/db/claimant.ts'
import { isAtWork, isWritable } from '../../platform/db/closed-workspaces.ts'
import type { Db } from '../../platform/db/pool.ts'
import { rowsOf } from '../../platform/db/rows-of.ts'
import { isEntitled } from './entitled.ts'
import type { FeedEvent } from './event-body.ts'

export type DueEndpoint = {
  workspaceId: string
  id: string
  url: string
  ordering: 'conversation' | 'none' | 'strict'
  maxInFlight: number
  secrets: Buffer
  previousSecretUntil: string | null
}

type Place = { workspaceId: string; id: string }

/**
 * Endpoints with something due, in the order of their ids, and at most one probe of each that is down. `next` is where the
 * following call continues if there were too many.
 */
export const listDueEndpoints = async (
  db: Db,
  now: Date,
  after: Place | null,
  endpointsMax: number,
): Promise<{ due: DueEndpoint[]; next: Place | null }> => {
  const { rows } = await sql<DueEndpoint & { place: number; isDue: boolean }>`
    with recursive endpoint as (
      (select workspace_id, endpoint_id, not_before, 1 as place from webhook_deliveries
        where state in ('pending', 'held')
          and (workspace_id, endpoint_id) > (${after?.workspaceId ?? ''}, ${after?.id ?? ''})
        order by workspace_id, endpoint_id, not_before
        limit 1)
      union all
      select n.workspace_id, n.endpoint_id, n.not_before, p.place + 1
      from endpoint p cross join lateral (
        select d.workspace_id, d.endpoint_id, d.not_before from webhook_deliveries d
        where d.state in ('pending', 'held') and (d.workspace_id, d.endpoint_id) > (p.workspace_id, p.endpoint_id)
        order by d.workspace_id, d.endpoint_id, d.not_before
        limit 1
      ) n
      where p.place < ${endpointsMax}::integer
    )
    select p.workspace_id as "workspaceId", p.endpoint_id as id, p.place, e.url, e.ordering,
      e.max_in_flight as "maxInFlight", e.secrets, e.previous_secret_until as "previousSecretUntil",
      p.not_before <= ${now} and e.status = 'enabled' and e.deleted_at is null and e.skipped_at is null
        and (e.probe_at is null or e.probe_at <= ${now}) and ${isEntitled}
        and ${isAtWork('p.workspace_id')} as "isDue"
    from endpoint p join webhook_endpoints e on e.workspace_id = p.workspace_id and e.id = p.endpoint_id
    order by p.place`.execute(db)
  const last = rows.find(({ place }) => place >= endpointsMax)
  return {
    due: rows.filter(({ isDue }) => isDue),
    next: last ? { workspaceId: last.workspaceId, id: last.id } : null,
  }
}

export type Wanted = { workspaceId: string; endpointId: string; places: number }

export type ClaimedDelivery = {
  workspaceId: string
  endpointId: string
  id: string
  eventId: string
  previous: number | null
  kind: 'live' | 'replay' | 'test'
  isFull: boolean
  body: string | null
  attempts: number
  tries: number
  asideAt: string | null
  /** Null once it is no longer in the feed. */
  event: FeedEvent | null
}

/**
 * Claims what is due, up to these numbers and each endpoint's own limits, whoever sends the rest. Of an endpoint that is
 * down, one process claims one delivery, and the next probe is put off.
 */
export const claimDeliveries = async (
  db: Db,
  now: Date,
  wanted: readonly Wanted[],
): Promise<ClaimedDelivery[]> => {
  const { rows } = await sql<ClaimedDelivery>`
    with wanted as materialized (
      select * from ${rowsOf(wanted)} as w ("workspaceId" text, "endpointId" text, places integer)
    ), probed as (
      update webhook_endpoints e
      set probes = probes + 1,
        probe_at = ${now}::timestamptz + least(10 * 2 ^ least(probes + 1, 20), 600) * interval '1 second'
      from wanted w
      where e.workspace_id = w."workspaceId" and e.id = w."endpointId" and e.probe_at <= ${now} and e.status = 'enabled'
        and ${isAtWork('e.workspace_id')}
      returning e.workspace_id, e.id
    ), opened as (
      select e.workspace_id, e.id,
        case when p.id is not null then 1
          else least(w.places, e.max_in_flight - s.count, e.places - s.count) end as places
      from wanted w
        join webhook_endpoints e on e.workspace_id = w."workspaceId" and e.id = w."endpointId"
        left join probed p on p.workspace_id = e.workspace_id and p.id = e.id
        cross join lateral (
          select count(*)::integer as count from webhook_deliveries d
          where d.workspace_id = e.workspace_id and d.endpoint_id = e.id and d.state = 'sending'
        ) s
      where e.status = 'enabled' and e.deleted_at is null and e.skipped_at is null
        and (e.probe_at is null or p.id is not null) and ${isAtWork('e.workspace_id')}
    ), claimed as (
      update webhook_deliveries d
      set state = 'sending', attempts = d.attempts + 1, claimed_by = ${CLAIMANT}, claimed_at = ${now},
        first_at = coalesce(d.first_at, ${now})
      from opened o cross join lateral (
        select l.id from webhook_deliveries l
        where l.workspace_id = o.workspace_id and l.endpoint_id = o.id and l.state in ('pending', 'held')
          and l.not_before <= ${now}
        order by l.not_before, l.id
        limit greatest(o.places, 0)
        for update skip locked
      ) l
      where d.workspace_id = o.workspace_id and d.id = l.id
      returning d.*
    )
    select c.workspace_id as "workspaceId", c.endpoint_id as "endpointId", c.id, c.event_id as "eventId",
      c.previous_seq as previous, c.kind, c.is_full as "isFull", c.body, c.attempts, c.tries, c.aside_at as "asideAt",
      case when f.id is not null then to_jsonb(f) end as event
    from claimed c left join feed f on f.workspace_id = c.workspace_id and f.seq = c.seq
    order by c.id`.execute(db)
  return rows
}

/** Of processes that died, or claimed before a time: they are sent again. Returns how many. */
export const returnClaims = async (
  db: Db,
  now: Date,
  { claimants, before }: { claimants: readonly string[]; before: Date },
): Promise<number> => {
  const { numAffectedRows } = await sql`
    update webhook_deliveries set state = 'pending', not_before = ${now}, claimed_by = null
    where state = 'sending' and (claimed_by = any (${claimants}::text[]) or claimed_at < ${before})
      and ${isWritable('workspace_id')}`.execute(db)
  return Number(numAffectedRows ?? 0)
}
