// The SQL of what belongs to the contact itself, rather than to one of its conversations.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { IdentityKind } from '../../platform/db/tables.ts'
import { freeShard } from '../contacts/counters.ts'
import { knownTo } from '../visible-conversations.ts'

type Scope = Pick<Ctx, 'db' | 'workspaceId'>

export type Person = {
  name: string
  email: string | null
  phone: string | null
  username: string | null
  identities: { kind: IdentityKind; value: string }[]
}

/** Locked until the transaction ends; undefined for one that the actor doesn't see. */
export const lockPerson = async (
  { db, workspaceId, actor }: Pick<Ctx, 'db' | 'workspaceId' | 'actor'>,
  contactId: string,
): Promise<Person | undefined> => {
  const { rows } = await sql<Person>`
    select k.name, k.email, k.phone, k.username,
      (select coalesce(json_agg(json_build_object('kind', i.kind, 'value', i.value)), '[]') from identities i
        where i.workspace_id = k.workspace_id and i.contact_id = k.id) as identities
    from contacts k where k.workspace_id = ${workspaceId} and k.id = ${contactId}${knownTo(actor, 'k')}
    for update of k`.execute(db)
  return rows[0]
}

/** From this moment nothing finds the person or says who they are. */
export const detachPerson = async (
  ctx: Ctx,
  contactId: string,
  { name, searchText, values }: { name: string; searchText: string; values: readonly string[] },
): Promise<void> => {
  const { db, workspaceId } = ctx
  await sql`
    with known as (
      select country_iso from contacts where workspace_id = ${workspaceId} and id = ${contactId}
    ), identity as (
      delete from identities where workspace_id = ${workspaceId} and contact_id = ${contactId}
    ), code as (
      delete from identity_codes where workspace_id = ${workspaceId} and contact_id = ${contactId}
    ), visitor as (
      delete from visitors where workspace_id = ${workspaceId} and contact_id = ${contactId}
    ), block as (
      delete from visitor_blocks where workspace_id = ${workspaceId} and contact_id = ${contactId}
    ), tag as (
      delete from contact_tags where workspace_id = ${workspaceId} and contact_id = ${contactId}
    ), member as (
      delete from contact_group_members where workspace_id = ${workspaceId} and contact_id = ${contactId}
    ), person as (
      delete from channel_people where workspace_id = ${workspaceId} and external_id = any(${values}::text[])
    ), merge as (
      delete from contact_merges where workspace_id = ${workspaceId} and kept_id = ${contactId}
    ), export as (
      update exports set status = 'expired', files = '[]'
      where workspace_id = ${workspaceId} and contact_id = ${contactId} and status in ('running', 'completed')
    ), counted as (
      insert into contact_counts (workspace_id, kind, key, shard, count)
      select ${workspaceId}, 'country', country_iso, ${freeShard(ctx)}, -1 from known where country_iso is not null
      on conflict (workspace_id, kind, key, shard) do update set count = contact_counts.count - 1
    )
    update contacts set name = ${name}, email = null, phone = null, username = null, country_iso = null,
      avatar_url = null, custom_fields = '{}', search_text = ${searchText}
    where workspace_id = ${workspaceId} and id = ${contactId}`.execute(db)
}

/** The contacts that were merged into this one, as far as the feed knows, and itself. */
export const listMergedIds = async ({ db, workspaceId }: Scope, contactId: string): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    with recursive merged as materialized (
      select contact_id, data ->> 'mergedContactId' as gone from feed
      where workspace_id = ${workspaceId} and type = 'contact.merged'
    ), ids as (
      select ${contactId}::text as id union select m.gone from merged m join ids on ids.id = m.contact_id
    )
    select id from ids where id = ${contactId} or not exists (
      -- A merge that was undone.
      select from contacts k where k.workspace_id = ${workspaceId} and k.id = ids.id)`.execute(db)
  return rows.map(({ id }) => id)
}

/** Removes the contact. The caller holds its lock; false if there is a conversation again. */
export const deletePerson = async (ctx: Ctx, contactId: string): Promise<boolean> => {
  const { db, workspaceId } = ctx
  const { numAffectedRows } = await sql`
    with gone as (
      delete from contacts k where k.workspace_id = ${workspaceId} and k.id = ${contactId} and not exists (
        select from conversations c where c.workspace_id = k.workspace_id and c.contact_id = k.id)
      returning channels
    )
    insert into contact_counts (workspace_id, kind, key, shard, count)
    select ${workspaceId}, c.kind, c.key, ${freeShard(ctx)}, -1
    from (
      select 'total' as kind, '' as key from gone
      union all select 'channel', channel from gone, unnest(gone.channels) channel
    ) c
    order by c.kind desc, c.key
    on conflict (workspace_id, kind, key, shard) do update set count = contact_counts.count - 1`.execute(db)
  return Number(numAffectedRows ?? 0) > 0
}

/** What is left beside the conversations. Returns how many notes there were. */
export const deleteOwn = async ({ db, workspaceId }: Scope, contactId: string): Promise<number> => {
  const { rows } = await sql<{ notes: number }>`
    with run as (
      delete from flow_runs where workspace_id = ${workspaceId} and contact_id = ${contactId} returning id
    ), step as (
      delete from flow_run_steps s using run where s.workspace_id = ${workspaceId} and s.run_id = run.id
    ), note as (
      delete from notes where workspace_id = ${workspaceId} and contact_id = ${contactId} returning 1
    )
    select count(*) as notes from note`.execute(db)
  return Number(rows[0]!.notes)
}
