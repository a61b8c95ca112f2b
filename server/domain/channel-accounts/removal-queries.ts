// The SQL of removing channel accounts and adding them again.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { ChannelName } from '../../platform/db/tables.ts'
import type { NewChannelAccount } from './queries.ts'

/**
 * Removes an account's credentials, and keeps what its conversations refer to. `place` identifies it at its provider.
 * False if it was removed already.
 */
export const setRemoved = async (
  { db, workspaceId, now }: Ctx,
  id: string,
  place: Record<string, string>,
): Promise<boolean> => {
  const { rows } = await sql`
    update channel_accounts
    set removed_at = ${now()}, removed_place = ${JSON.stringify(place)}, secrets = null, problem = null, checked_at = null
    where workspace_id = ${workspaceId} and id = ${id} and removed_at is null
    returning id`.execute(db)
  return rows.length > 0
}

/** The account that was last removed from the same place. The caller holds the workspace's lock. */
export const findRemoved = async (
  { db, workspaceId }: Ctx,
  channel: ChannelName,
  place: Record<string, string>,
): Promise<{ id: string } | undefined> => {
  if (Object.keys(place).length === 0) return undefined
  const { rows } = await sql<{ id: string }>`
    select id from channel_accounts
    where workspace_id = ${workspaceId} and channel = ${channel} and removed_at is not null
      and removed_place = ${JSON.stringify(place)}::jsonb
    order by removed_at desc, id desc limit 1`.execute(db)
  return rows[0]
}

/** Connects a removed account again. A rule that deletes its conversations was for the removed one. */
export const setConnected = async (
  { db, workspaceId }: Ctx,
  { id, name, address, settings, secrets }: Omit<NewChannelAccount, 'channel'>,
): Promise<void> => {
  await sql`
    with kept as (
      delete from retention_rules
      where workspace_id = ${workspaceId} and channel_account_id = ${id} and delete_after_days = 0
    )
    update channel_accounts set name = ${name}, address = ${address}, settings = ${JSON.stringify(settings)}::jsonb,
      secrets = ${secrets}, removed_at = null, removed_place = null, worked_at = null
    where workspace_id = ${workspaceId} and id = ${id}`.execute(db)
}
