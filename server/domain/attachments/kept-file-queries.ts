// The SQL of files that providers keep: see jobs/provider-files.ts.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { Db } from '../../platform/db/pool.ts'

/** `owner`: what the provider's id is valid for. `key`: of the stored content. */
export type KeptPlace = { channelAccountId: string; owner: string; key: string }

/** The provider's id, if it is still valid at a time. */
export const findKept = async (
  { db, workspaceId }: Ctx,
  { channelAccountId, owner, key }: KeptPlace,
  at: Date,
): Promise<string | undefined> => {
  const row = await db
    .selectFrom('provider_files')
    .select('external_id')
    .where('workspace_id', '=', workspaceId)
    .where('channel_account_id', '=', channelAccountId)
    .where('owner', '=', owner)
    .where('storage_key', '=', key)
    .where(sql<boolean>`kept_until > ${at}`)
    .executeTakeFirst()
  return row?.external_id
}

/** Of two uploads at once, the later is kept. */
export const insertKept = async (
  { db, workspaceId }: Ctx,
  { channelAccountId, owner, key }: KeptPlace,
  { externalId, until }: { externalId: string; until: Date },
): Promise<void> => {
  const kept = { external_id: externalId, kept_until: until }
  await db
    .insertInto('provider_files')
    .values({
      workspace_id: workspaceId,
      channel_account_id: channelAccountId,
      owner,
      storage_key: key,
      ...kept,
    })
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'channel_account_id', 'owner', 'storage_key']).doUpdateSet(kept),
    )
    .execute()
}

export const deleteKept = async (
  { db, workspaceId }: Ctx,
  { channelAccountId, owner, key }: KeptPlace,
): Promise<void> => {
  await db
    .deleteFrom('provider_files')
    .where('workspace_id', '=', workspaceId)
    .where('channel_account_id', '=', channelAccountId)
    .where('owner', '=', owner)
    .where('storage_key', '=', key)
    .execute()
}

/** Those that no provider has any more. Over all workspaces. */
export const deleteExpired = async (db: Db, before: Date, limit: number): Promise<void> => {
  await sql`
    delete from provider_files f using (
      select workspace_id, channel_account_id, owner, storage_key from provider_files
      where kept_until < ${before} order by kept_until limit ${limit}
    ) e
    where f.workspace_id = e.workspace_id and f.channel_account_id = e.channel_account_id and f.owner = e.owner
      and f.storage_key = e.storage_key`.execute(db)
}
