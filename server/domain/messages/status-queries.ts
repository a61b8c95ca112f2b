// The SQL of the statuses that providers report.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { Db } from '../../platform/db/pool.ts'
import type { DeliveryFailure } from '../deliveries/move-messages.ts'

type Ref = { channelAccountId: string; externalId: string; attemptId?: string | null }

type Reported = {
  id: string
  externalId: string | null
  /** About a failed attempt, after which the message was sent again. */
  isPast: boolean
}

/**
 * The outbound message of each report, by its place in the list: matched by the provider's id first, which is that of
 * the newest attempt, else by ours.
 */
export const findReported = async (
  { db, workspaceId }: Ctx,
  refs: readonly Ref[],
): Promise<Map<number, Reported>> => {
  const { rows } = await sql<Reported & { place: number; isByOurs: boolean }>`
    with q as (
      select * from unnest(
        ${refs.map(({ channelAccountId }) => channelAccountId)}::text[],
        ${refs.map(({ externalId }) => externalId)}::text[],
        ${refs.map(({ attemptId }) => attemptId ?? null)}::text[]
      ) with ordinality q (account, external, own, place)
    )
    select place - 1 as place, m.id, m.external_id as "externalId", false as "isPast",
      false as "isByOurs"
    from q join messages m on m.workspace_id = ${workspaceId} and m.channel_account_id = q.account
      and m.external_id = q.external and m.external_id is not null
    where m.sender_type in ('agent', 'automation')
    union all
    select place - 1, m.id, m.external_id, exists (select from deliveries n
      where n.workspace_id = d.workspace_id and n.message_id = d.message_id and n.id > d.id), true
    from q join deliveries d on d.workspace_id = ${workspaceId} and d.id = q.own and d.channel_account_id = q.account
    join messages m on m.workspace_id = d.workspace_id and m.id = d.message_id
    order by "isByOurs" desc`.execute(db)
  return new Map(rows.map(({ place, isByOurs: _, ...reported }) => [place, reported]))
}

export type ParkedStatus = {
  channelAccountId: string
  externalId: string
  status: 'sent' | 'delivered' | 'read' | 'failed'
  failure: DeliveryFailure | null
}

const lockKey = (workspaceId: string, { channelAccountId, externalId }: Ref): string =>
  `${workspaceId}\n${channelAccountId}\n${externalId}`

/** Serializes reporting an id and storing it. */
export const lockReports = async ({ db, workspaceId }: Ctx, refs: readonly Ref[]): Promise<void> => {
  const keys = [...new Set(refs.map((ref) => lockKey(workspaceId, ref)))]
  await sql`
    select pg_advisory_xact_lock(key)
    from (select distinct hashtextextended(text, 2) as key from unnest(${keys}::text[]) text order by 1) k`.execute(
    db,
  )
}

export const insertParked = async (
  { db, workspaceId, now }: Ctx,
  rows: readonly ParkedStatus[],
): Promise<void> => {
  await sql`
    insert into parked_statuses (workspace_id, channel_account_id, external_id, status, failure, created_at)
    select ${workspaceId}, "channelAccountId", "externalId", status, nullif(failure, 'null'::jsonb), ${now()}
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as p ("channelAccountId" text, "externalId" text, status text, failure jsonb)
    on conflict do nothing`.execute(db)
}

/** Locks the providers' ids, and removes and returns what is parked for them. */
export const takeParked = async (ctx: Ctx, refs: readonly Ref[]): Promise<ParkedStatus[]> => {
  const { db, workspaceId } = ctx
  await lockReports(ctx, refs)
  const { rows } = await sql<ParkedStatus>`
    delete from parked_statuses p
    using unnest(
      ${refs.map(({ channelAccountId }) => channelAccountId)}::text[],
      ${refs.map(({ externalId }) => externalId)}::text[]
    ) q (account, external)
    where p.workspace_id = ${workspaceId} and p.channel_account_id = q.account and p.external_id = q.external
    returning p.channel_account_id as "channelAccountId", p.external_id as "externalId", p.status, p.failure`.execute(
    db,
  )
  return rows
}

/** Stores the providers' ids of messages that have none yet, by our ids. */
export const setExternalIds = async (
  { db, workspaceId }: Ctx,
  ids: ReadonlyMap<string, string>,
): Promise<void> => {
  await sql`
    update messages m set external_id = n.external
    from unnest(${[...ids.keys()]}::text[], ${[...ids.values()]}::text[]) n (id, external)
    where m.workspace_id = ${workspaceId} and m.id = n.id and m.external_id is null
      and not exists (select from messages o where o.workspace_id = m.workspace_id
        and o.channel_account_id = m.channel_account_id and o.external_id = n.external)`.execute(db)
}

/** Deletes what was parked before a time, at most `limit`. Over all workspaces. */
export const deleteParked = async (db: Db, before: Date, limit: number): Promise<number> => {
  const { numAffectedRows } = await sql`
    delete from parked_statuses where (workspace_id, channel_account_id, external_id, status) in (
      select workspace_id, channel_account_id, external_id, status from parked_statuses
      where created_at < ${before} order by created_at limit ${limit})`.execute(db)
  return Number(numAffectedRows ?? 0)
}
