// The SQL of merging two contacts. Other resources move their own rows.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { freeShard } from '../contacts/counters.ts'
import type { PersonRow } from '../contacts/people-queries.ts'
import { knownTo } from '../visible-conversations.ts'

/** What a custom field's name follows in a list of parts. */
const FIELD = 'customFields.'

/** Both rows, locked in the order of their ids. */
export const lockForMerge = async (
  { db, workspaceId }: Ctx,
  keptId: string,
  goneId: string,
): Promise<{ kept: PersonRow; gone: PersonRow } | undefined> => {
  const { rows } = await sql<PersonRow>`
    select id, name, email, phone, username from contacts
    where workspace_id = ${workspaceId} and id = any(${[keptId, goneId]}::text[])
    order by id
    for update`.execute(db)
  const kept = rows.find(({ id }) => id === keptId)
  const gone = rows.find(({ id }) => id === goneId)
  return kept && gone && { kept, gone }
}

/** Moves the rows of contacts/ itself: identities, tags, flow runs. */
export const moveOwn = async ({ db, workspaceId }: Ctx, from: string, to: string): Promise<void> => {
  await sql`
    with identity as (
      update identities set contact_id = ${to} where workspace_id = ${workspaceId} and contact_id = ${from}
    ), tag as (
      insert into contact_tags (workspace_id, contact_id, tag_id)
      select workspace_id, ${to}, tag_id from contact_tags
      where workspace_id = ${workspaceId} and contact_id = ${from}
      on conflict do nothing
    )
    update flow_runs set contact_id = ${to} where workspace_id = ${workspaceId} and contact_id = ${from}`.execute(
    db,
  )
}

/**
 * Adds the second contact's sums to the first's, and removes the second from the directory's. `take`: custom fields whose
 * value is the second's if both have one. The country follows the number.
 */
export const absorbContact = async (
  ctx: Ctx,
  goneId: string,
  merged: PersonRow & { searchText: string },
  take: ReadonlySet<string>,
): Promise<void> => {
  const { db, workspaceId } = ctx
  const isPhoneTaken = take.has('phone')
  const takenFields = [...take].flatMap((name) => (name.startsWith(FIELD) ? [name.slice(FIELD.length)] : []))
  await sql`
    with gone as (
      select * from contacts where workspace_id = ${workspaceId} and id = ${goneId}
    ), kept as (
      select * from contacts where workspace_id = ${workspaceId} and id = ${merged.id}
    ), latest as (
      select id, agent_id, updated_at from conversations
      where workspace_id = ${workspaceId} and contact_id = ${merged.id}
      order by updated_at desc, id desc limit 1
    ), counted as (
      insert into contact_counts (workspace_id, kind, key, shard, count)
      select ${workspaceId}, c.kind, c.key, ${freeShard(ctx)}, -1
      from (
        select 1 as place, 'total' as kind, '' as key
        union all
        select 2, 'country', case when ${isPhoneTaken} then kept.country_iso else gone.country_iso end
          from gone, kept
          where gone.country_iso is not null and kept.country_iso is not null
        union all
        select 3, 'channel', channel from gone, kept, unnest(gone.channels) channel
          where channel = any(kept.channels)
      ) c
      order by c.place, c.key
      on conflict (workspace_id, kind, key, shard) do update set count = contact_counts.count - 1
    )
    update contacts k set
      name = ${merged.name}, email = ${merged.email}, phone = ${merged.phone}, username = ${merged.username},
      search_text = ${merged.searchText},
      country_iso = case when ${isPhoneTaken} then coalesce(gone.country_iso, k.country_iso)
        else coalesce(k.country_iso, gone.country_iso) end,
      avatar_url = coalesce(k.avatar_url, gone.avatar_url),
      custom_fields = gone.custom_fields || k.custom_fields || (
        select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(gone.custom_fields)
        where key = any(${takenFields}::text[])),
      opted_out_at = coalesce(k.opted_out_at, gone.opted_out_at),
      channels = k.channels || array(
        select channel from unnest(gone.channels) channel where not channel = any(k.channels)),
      conversation_count = k.conversation_count + gone.conversation_count,
      open_count = (select count(*) from conversations c
        where c.workspace_id = ${workspaceId} and c.contact_id = k.id and c.status = 'open'),
      latest_conversation_id = (select id from latest),
      assigned_agent_id = (select agent_id from latest),
      last_activity_at = greatest(k.last_activity_at, gone.last_activity_at)
    from gone
    where k.workspace_id = ${workspaceId} and k.id = ${merged.id}`.execute(db)
}

export const deleteContact = async ({ db, workspaceId }: Ctx, id: string): Promise<void> => {
  await db.deleteFrom('contacts').where('workspace_id', '=', workspaceId).where('id', '=', id).execute()
}

/**
 * Those of the contacts that the actor sees, locked in the order of their ids, and whether each is, or was, asked to be
 * forgotten.
 */
export const lockVisible = async (
  { db, workspaceId, actor }: Ctx,
  ids: readonly string[],
): Promise<{ id: string; isErased: boolean }[]> => {
  const { rows } = await sql<{ id: string; isErased: boolean }>`
    select k.id, exists (select from erasures e
      where e.workspace_id = k.workspace_id and e.contact_id = k.id) as "isErased"
    from contacts k where k.workspace_id = ${workspaceId} and k.id = any(${ids}::text[])${knownTo(actor, 'k')}
    order by k.id
    for update of k`.execute(db)
  return rows
}
