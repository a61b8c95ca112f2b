import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { isAtWork } from '../../platform/db/closed-workspaces.ts'
import type { Db } from '../../platform/db/pool.ts'
import type { Alteration } from './alter-message.ts'

type ExternalRef = { channelAccountId: string; externalId: string }

/** As stored in the column, where the time is text. */
type Kept = Alteration & { at: unknown }

const revived = ({ at, ...rest }: Kept): Alteration => ({ ...rest, at: new Date(String(at)) }) as Alteration

/** Storing the same alteration again changes nothing. */
export const insertParkedAlteration = async (
  { db, workspaceId, now }: Ctx,
  alteration: Alteration,
): Promise<void> => {
  const text = JSON.stringify(alteration)
  await sql`
    insert into parked_alterations (workspace_id, channel_account_id, target_id, hash, alteration, created_at)
    values (${workspaceId}, ${alteration.channelAccountId}, ${alteration.targetId},
      ${createHash('sha256').update(text).digest()}, ${text}::jsonb, ${now()})
    on conflict do nothing`.execute(db)
}

/** Removes and returns what waits for the messages. */
export const takeParkedAlterations = async (
  { db, workspaceId }: Ctx,
  messages: readonly ExternalRef[],
): Promise<Alteration[]> => {
  const { rows } = await sql<{ alteration: Kept }>`
    delete from parked_alterations p
    using unnest(
      ${messages.map(({ channelAccountId }) => channelAccountId)}::text[],
      ${messages.map(({ externalId }) => externalId)}::text[]
    ) q (account, external)
    where p.workspace_id = ${workspaceId} and p.channel_account_id = q.account and p.target_id = q.external
    returning p.alteration`.execute(db)
  return rows.map(({ alteration }) => revived(alteration))
}

/**
 * Messages that exist although alterations still wait for them: both arrived at the same moment. Over all workspaces.
 */
export const listAwaited = async (
  db: Db,
  limit: number,
): Promise<(ExternalRef & { workspaceId: string })[]> => {
  const { rows } = await sql<ExternalRef & { workspaceId: string }>`
    select distinct p.workspace_id as "workspaceId", p.channel_account_id as "channelAccountId",
      p.target_id as "externalId"
    from parked_alterations p
    join messages m on m.workspace_id = p.workspace_id and m.channel_account_id = p.channel_account_id
      and m.external_id = p.target_id and m.external_id is not null
    where ${isAtWork('p.workspace_id')}
    limit ${limit}`.execute(db)
  return rows
}

/** Removes and returns what was parked before a time, at most `limit`. Over all workspaces. */
export const takeExpiredAlterations = async (
  db: Db,
  before: Date,
  limit: number,
): Promise<{ workspaceId: string; alteration: Alteration }[]> => {
  const { rows } = await sql<{ workspaceId: string; alteration: Kept }>`
    delete from parked_alterations where (workspace_id, channel_account_id, target_id, hash) in (
      select workspace_id, channel_account_id, target_id, hash from parked_alterations
      where created_at < ${before} and ${isAtWork('workspace_id')} order by created_at limit ${limit})
    returning workspace_id as "workspaceId", alteration`.execute(db)
  return rows.map(({ workspaceId, alteration }) => ({ workspaceId, alteration: revived(alteration) }))
}
