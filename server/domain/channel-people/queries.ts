// All SQL of what is known about customers on one bot, page or number.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { ChannelName } from '../../platform/db/tables.ts'

export type ChannelPerson = {
  channelAccountId: string
  externalId: string
  /** The provider's name for them; null if it gave none. */
  name: string | null
}

type ChangedPerson = {
  channelAccountId: string
  externalId: string
  previousName: string | null
  isDue: boolean
}

/**
 * Records who wrote, each once. Returns those with a change: their previous name, and whether their profile is due to be
 * fetched, which then counts as done. Someone who had blocked us becomes reachable again. Unchanged people cost no
 * write.
 */
export const upsertPeople = async (
  { db, workspaceId, now }: Ctx,
  people: readonly ChannelPerson[],
  profileBefore: Date,
): Promise<ChangedPerson[]> => {
  const { rows } = await sql<ChangedPerson>`
    with changed as (
      select i.*, p.name as "previousName", coalesce(p.profile_at < ${profileBefore}, true) as "isDue"
      from jsonb_to_recordset(${JSON.stringify(people)}::jsonb) as i (
        "channelAccountId" text, "externalId" text, name text)
      left join channel_people p on p.workspace_id = ${workspaceId}
        and p.channel_account_id = i."channelAccountId" and p.external_id = i."externalId"
      where p.external_id is null or coalesce(p.profile_at < ${profileBefore}, true)
        or p.unreachable_reason = 'blocked' or (i.name is not null and i.name is distinct from p.name)
    ), upserted as (
      insert into channel_people as p (workspace_id, channel_account_id, external_id, name, profile_at, created_at)
      select ${workspaceId}, "channelAccountId", "externalId", name, ${now()}, ${now()} from changed
      order by "channelAccountId" collate "C", "externalId" collate "C"
      on conflict (workspace_id, channel_account_id, external_id) do update set
        name = coalesce(excluded.name, p.name),
        profile_at = case when p.profile_at >= ${profileBefore} then p.profile_at else excluded.profile_at end,
        unreachable_since = case when p.unreachable_reason = 'blocked' then null else p.unreachable_since end,
        unreachable_reason = nullif(p.unreachable_reason, 'blocked')
    )
    select "channelAccountId", "externalId", "previousName", "isDue" from changed`.execute(db)
  return rows
}

type Reach = {
  channelAccountId: string
  externalId: string
  /** Null: they can be reached again. */
  reason: 'blocked' | 'opted_out' | null
  at: Date
}

/** Stores whether the customer can be reached. False if that, or something newer, is already known. */
export const setReach = async (
  { db, workspaceId, now }: Ctx,
  { channelAccountId, externalId, reason, at }: Reach,
): Promise<boolean> => {
  const since = reason === null ? null : at
  const { numAffectedRows } = await sql`
    insert into channel_people as p
      (workspace_id, channel_account_id, external_id, unreachable_since, unreachable_reason, created_at)
    values (${workspaceId}, ${channelAccountId}, ${externalId}, ${since}::timestamptz, ${reason}, ${now()})
    on conflict (workspace_id, channel_account_id, external_id) do update set
      unreachable_since = excluded.unreachable_since, unreachable_reason = excluded.unreachable_reason
    where p.unreachable_reason is distinct from excluded.unreachable_reason
      and coalesce(p.unreachable_since <= ${at}::timestamptz, true)`.execute(db)
  return numAffectedRows === 1n
}

/** Why a contact cannot be reached on a channel account; null when they can. */
export const findUnreachable = async (
  { db, workspaceId }: Ctx,
  {
    channel,
    channelAccountId,
    contactId,
  }: { channel: ChannelName; channelAccountId: string; contactId: string },
): Promise<'blocked' | 'opted_out' | null> => {
  const { rows } = await sql<{ reason: 'blocked' | 'opted_out' }>`
    select p.unreachable_reason as reason
    from identities i
    join channel_people p on p.workspace_id = i.workspace_id and p.channel_account_id = ${channelAccountId}
      and p.external_id = i.value
    where i.workspace_id = ${workspaceId} and i.contact_id = ${contactId} and i.kind = ${channel}
      and p.unreachable_since is not null
    limit 1`.execute(db)
  return rows[0]?.reason ?? null
}

/** Stores the provider's name for someone. Returns the previous name. */
export const setProviderName = async (
  { db, workspaceId }: Ctx,
  { channelAccountId, externalId, name }: { channelAccountId: string; externalId: string; name: string },
): Promise<string | null> => {
  const { rows } = await sql<{ before: string | null }>`
    update channel_people p set name = ${name}
    from (select name from channel_people
      where workspace_id = ${workspaceId} and channel_account_id = ${channelAccountId}
        and external_id = ${externalId} for update) old
    where p.workspace_id = ${workspaceId} and p.channel_account_id = ${channelAccountId}
      and p.external_id = ${externalId}
    returning old.name as before`.execute(db)
  return rows[0]?.before ?? null
}

type Ref = { channelAccountId: string; externalId: string }

/** Which picture the contact has from the provider; null for none. */
export const findAvatarKey = async (
  { db, workspaceId }: Ctx,
  { channelAccountId, externalId }: Ref,
): Promise<string | null> => {
  const row = await db
    .selectFrom('channel_people')
    .select('avatar_key')
    .where('workspace_id', '=', workspaceId)
    .where('channel_account_id', '=', channelAccountId)
    .where('external_id', '=', externalId)
    .executeTakeFirst()
  return row?.avatar_key ?? null
}

export const setAvatarKey = async (
  { db, workspaceId }: Ctx,
  { channelAccountId, externalId, key }: Ref & { key: string },
): Promise<void> => {
  await db
    .updateTable('channel_people')
    .set({ avatar_key: key })
    .where('workspace_id', '=', workspaceId)
    .where('channel_account_id', '=', channelAccountId)
    .where('external_id', '=', externalId)
    .execute()
}
