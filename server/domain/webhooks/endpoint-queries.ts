// All SQL of endpoints but their health (health-queries.ts) and what is sent there (delivery-queries.ts).
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { Db } from '../../platform/db/pool.ts'
import type { WEBHOOK_REASONS, WEBHOOK_STATUSES } from '../../platform/db/tables.ts'
import { PENDING_COUNTED_MAX, type WebhookEndpoint, type WebhookFilter } from './schema.ts'

export type StoredEndpoint = Pick<
  WebhookEndpoint,
  | 'id'
  | 'name'
  | 'url'
  | 'eventTypes'
  | 'payload'
  | 'ordering'
  | 'maxInFlight'
  | 'externalRef'
  | 'secretPrefix'
> & {
  workspaceId: string
  filter: WebhookFilter
  status: (typeof WEBHOOK_STATUSES)[number]
  statusReason: (typeof WEBHOOK_REASONS)[number] | null
  headerNames: string[]
  secrets: Buffer
  previousSecretUntil: string | null
  createdBy: string
  createdAt: string
  updatedAt: string
  failingSince: string | null
  lastSuccessAt: string | null
  lastSeq: number | null
  missedSeq: number | null
  skippedAt: string | null
}

type Place = Pick<Ctx, 'db' | 'workspaceId'>

const select = ({ db, workspaceId }: Place) =>
  db
    .selectFrom('webhook_endpoints')
    .select([
      'workspace_id as workspaceId',
      'id',
      'name',
      'url',
      'status',
      'status_reason as statusReason',
      'event_types as eventTypes',
      'filter',
      'payload',
      'ordering',
      'max_in_flight as maxInFlight',
      'header_names as headerNames',
      'secrets',
      'secret_prefix as secretPrefix',
      'previous_secret_until as previousSecretUntil',
      'external_ref as externalRef',
      'created_by as createdBy',
      'created_at as createdAt',
      'updated_at as updatedAt',
      'failing_since as failingSince',
      'last_success_at as lastSuccessAt',
      'last_seq as lastSeq',
      'missed_seq as missedSeq',
      'skipped_at as skippedAt',
    ])
    .where('workspace_id', '=', workspaceId)
    .where('deleted_at', 'is', null)

export const listEndpointRows = (ctx: Place): Promise<StoredEndpoint[]> => select(ctx).orderBy('id').execute()

export const findEndpoint = (ctx: Place, id: string): Promise<StoredEndpoint | undefined> =>
  select(ctx).where('id', '=', id).executeTakeFirst()

/** For a transaction that changes it. The feed waits for it, and the other way round. */
export const lockEndpoint = (ctx: Place, id: string): Promise<StoredEndpoint | undefined> =>
  select(ctx).where('id', '=', id).forNoKeyUpdate().executeTakeFirst()

const columnsOf = (row: StoredEndpoint) => ({
  name: row.name,
  url: row.url,
  event_types: row.eventTypes,
  filter: JSON.stringify(row.filter),
  payload: row.payload,
  ordering: row.ordering,
  max_in_flight: row.maxInFlight,
  header_names: row.headerNames,
  secrets: row.secrets,
  secret_prefix: row.secretPrefix,
  previous_secret_until: row.previousSecretUntil,
  created_by: row.createdBy,
  updated_at: row.updatedAt,
})

export const insertEndpoint = async ({ db, workspaceId }: Place, row: StoredEndpoint): Promise<void> => {
  await db
    .insertInto('webhook_endpoints')
    .values({
      workspace_id: workspaceId,
      id: row.id,
      ...columnsOf(row),
      external_ref: row.externalRef,
      created_at: row.createdAt,
      last_seq: row.lastSeq,
    })
    .execute()
}

export const updateEndpointRow = async ({ db, workspaceId }: Place, row: StoredEndpoint): Promise<void> => {
  await db
    .updateTable('webhook_endpoints')
    .set(columnsOf(row))
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', row.id)
    .execute()
}

type Status = {
  status: StoredEndpoint['status']
  statusReason: StoredEndpoint['statusReason']
  missedSeq: number | null
  skippedAt?: Date | null
  createdBy?: string
}

/** Enabling forgets what failed before. */
export const updateEndpointStatus = async (
  { db, workspaceId, now }: Place & Pick<Ctx, 'now'>,
  id: string,
  { status, statusReason, missedSeq, skippedAt, createdBy }: Status,
): Promise<void> => {
  await db
    .updateTable('webhook_endpoints')
    .set({
      status,
      status_reason: statusReason,
      missed_seq: missedSeq,
      ...(skippedAt !== undefined && { skipped_at: skippedAt }),
      updated_at: now(),
      ...(createdBy !== undefined && { created_by: createdBy }),
      ...(status === 'enabled' && {
        failures: 0,
        failing_since: null,
        failing_id: null,
        is_failing_widely: false,
        probe_at: null,
        probes: 0,
        places: 1,
        warnings: 0,
      }),
    })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

export const markEndpointDeleted = async (
  { db, workspaceId, now }: Place & Pick<Ctx, 'now'>,
  id: string,
): Promise<void> => {
  await db
    .updateTable('webhook_endpoints')
    .set({ deleted_at: now(), secrets: Buffer.alloc(0), external_ref: null })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

/** The number of the workspace's latest event; 0 without one. */
export const findFeedHead = async ({ db, workspaceId }: Place): Promise<number> => {
  const { rows } = await sql<{ seq: number }>`
    select coalesce(max(seq), 0)::bigint as seq from feed where workspace_id = ${workspaceId}`.execute(db)
  return rows[0]!.seq
}

export type EndpointHealth = {
  id: string
  pending: number
  oldestPendingAt: string | null
  successRate: number | null
  p50Ms: number | null
  p95Ms: number | null
}

const RECENT_MAX = 500
const RECENT_MS = 24 * 3_600_000

/** Of all endpoints of the workspace, or of one. */
export const listHealth = async (
  { db, workspaceId, now }: Place & Pick<Ctx, 'now'>,
  id: string | null,
): Promise<EndpointHealth[]> => {
  const since = new Date(now().getTime() - RECENT_MS)
  const { rows } = await sql<EndpointHealth>`
    select e.id, w.pending::integer as pending, w.oldest as "oldestPendingAt",
      r.rate::float8 as "successRate", r.p50::integer as "p50Ms", r.p95::integer as "p95Ms"
    from webhook_endpoints e
      cross join lateral (
        select count(*) as pending, min(created_at) as oldest from (
          select created_at from webhook_deliveries d
          where d.workspace_id = e.workspace_id and d.endpoint_id = e.id and d.state in ('pending', 'held')
          order by not_before, id
          limit ${PENDING_COUNTED_MAX}::integer) p) w
      cross join lateral (
        select avg(case when state = 'delivered' then 1 else 0 end) as rate,
          percentile_disc(0.5) within group (order by duration_ms) as p50,
          percentile_disc(0.95) within group (order by duration_ms) as p95
        from (
          select state, duration_ms from webhook_deliveries d
          where d.workspace_id = e.workspace_id and d.endpoint_id = e.id and d.last_at >= ${since}
            and d.created_at >= ${since} and d.kind <> 'test'
          order by id desc
          limit ${RECENT_MAX}::integer) l) r
    where e.workspace_id = ${workspaceId} and e.deleted_at is null
      and (${id}::text is null or e.id = ${id})`.execute(db)
  return rows
}

/** Wakes every process that sends, with the commit. */
export const announceWebhooks = async (db: Db): Promise<void> => {
  await sql`select pg_notify(${WEBHOOKS_CHANNEL}, '')`.execute(db)
}

export const WEBHOOKS_CHANNEL = 'foyer_webhooks'
