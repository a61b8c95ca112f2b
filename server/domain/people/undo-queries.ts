// The SQL of undoing a merge. Other resources return their own rows.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { CHANNELS } from '../../platform/db/tables.ts'
import { freeShard } from '../contacts/counters.ts'
import type { PersonRow } from '../contacts/people-queries.ts'
import type { Moved } from './merge-record-queries.ts'

export type Undoable = {
  goneId: string
  moved: Moved
  mergedAt: string
  /** As it is now, and as it will be without what the merge brought and nobody changed since. */
  now: PersonRow
  next: PersonRow
}

const PARTS = ['name', 'email', 'phone', 'username'] as const

/** What is as the merge left it becomes what it was before. */
const before = (column: string) => sql`case
  when k.${sql.ref(column)} is not distinct from a.${sql.ref(column)} then b.${sql.ref(column)}
  else k.${sql.ref(column)} end`

/** A merge `m` with the kept contact `k`, as it was before (`b`) and after the merge (`a`), and the one that is gone (`g`). */
const rowsOfMerge = (workspaceId: string, id: string) => sql`
  contact_merges m
  join contacts k on k.workspace_id = m.workspace_id and k.id = m.kept_id,
  lateral jsonb_populate_record(k, m.kept_before) b, lateral jsonb_populate_record(k, m.kept_after) a,
  lateral jsonb_populate_record(k, m.gone) g
  where m.workspace_id = ${workspaceId} and m.id = ${id}`

/** The caller holds the kept contact's lock. */
export const lockMerge = async (
  { db, workspaceId }: Ctx,
  { id, contactId, after }: { id: string; contactId: string; after: Date },
): Promise<Undoable | undefined> => {
  const { rows } = await sql<Omit<Undoable, 'now' | 'next'> & Record<string, string | null>>`
    select m.gone_id as "goneId", m.moved, m.created_at as "mergedAt",
      ${sql.join(PARTS.map((part) => sql`k.${sql.ref(part)} as ${sql.ref(`now_${part}`)}`))},
      ${sql.join(PARTS.map((part) => sql`${before(part)} as ${sql.ref(`next_${part}`)}`))}
    from ${rowsOfMerge(workspaceId, id)} and m.kept_id = ${contactId} and m.created_at > ${after}
    for update of m`.execute(db)
  const [row] = rows
  if (!row) return undefined
  const personOf = (prefix: string): PersonRow => ({
    id: contactId,
    name: row[`${prefix}_name`] ?? '',
    email: row[`${prefix}_email`] ?? null,
    phone: row[`${prefix}_phone`] ?? null,
    username: row[`${prefix}_username`] ?? null,
  })
  const { goneId, moved, mergedAt } = row
  return { goneId, moved, mergedAt, now: personOf('now'), next: personOf('next') }
}

/** Stores the contact again as it was. Returns its name and email. */
export const restoreContact = async (
  { db, workspaceId }: Ctx,
  id: string,
): Promise<{ name: string; email: string | null }> => {
  const { rows } = await sql<{ name: string; email: string | null }>`
    insert into contacts select g.* from ${rowsOfMerge(workspaceId, id)} returning name, email`.execute(db)
  return rows[0]!
}

/** Gives back the rows of contacts/ itself: identities, tags, flow runs; and the merges that it had. */
export const returnOwn = async (
  { db, workspaceId }: Ctx,
  { from, to, moved }: { from: string; to: string; moved: Moved },
): Promise<void> => {
  const { identities, tags, runIds, mergeIds } = moved
  const added = tags.filter(({ isAdded }) => isAdded).map(({ tagId }) => tagId)
  await sql`
    with identity as (
      update identities i set contact_id = ${to}
      from unnest(
        ${identities.map(({ kind }) => kind)}::text[], ${identities.map(({ value }) => value)}::text[]
      ) q (kind, value)
      where i.workspace_id = ${workspaceId} and i.kind = q.kind and i.value = q.value and i.contact_id = ${from}
    ), untagged as (
      delete from contact_tags
      where workspace_id = ${workspaceId} and contact_id = ${from} and tag_id = any(${added}::text[])
    ), tagged as (
      insert into contact_tags (workspace_id, contact_id, tag_id)
      select workspace_id, ${to}, id from tags
      where workspace_id = ${workspaceId} and id = any(${tags.map(({ tagId }) => tagId)}::text[])
    ), run as (
      update flow_runs set contact_id = ${to}
      where workspace_id = ${workspaceId} and contact_id = ${from} and id = any(${runIds}::text[])
    )
    update contact_merges set kept_id = ${to}
    where workspace_id = ${workspaceId} and kept_id = ${from} and id = any(${mergeIds}::text[])`.execute(db)
}

/** Flow runs begun since in the conversations that a contact got back. */
export const returnRuns = async (
  { db, workspaceId }: Ctx,
  { from, to }: { from: string; to: string },
): Promise<void> => {
  await sql`
    update flow_runs f set contact_id = ${to} from conversations c
    where f.workspace_id = ${workspaceId} and f.contact_id = ${from} and c.workspace_id = f.workspace_id
      and c.id = f.conversation_id and c.contact_id = ${to}`.execute(db)
}

/**
 * What the kept contact is called again, and its details, where nobody changed them since. Whoever opted out since may
 * have been either, so both have. Forgets the merge.
 */
export const revertContact = async (
  { db, workspaceId }: Ctx,
  id: string,
  { name, email, phone, username, searchText }: PersonRow & { searchText: string },
): Promise<void> => {
  await sql`
    with next as (
      select k.id, ${before('avatar_url')} as avatar_url, ${before('country_iso')} as country_iso,
        ${before('opted_out_at')} as opted_out_at, m.gone_id,
        case when k.opted_out_at is distinct from a.opted_out_at then k.opted_out_at end as opted_out_since, (
          select coalesce(jsonb_object_agg(f.key, f.value), '{}') from (
            select key, value from jsonb_each(k.custom_fields)
            where value is distinct from a.custom_fields -> key or value is not distinct from b.custom_fields -> key
            union all
            select key, value from jsonb_each(b.custom_fields)
            where value is distinct from a.custom_fields -> key
              and k.custom_fields -> key is not distinct from a.custom_fields -> key
          ) f) as custom_fields
      from ${rowsOfMerge(workspaceId, id)}
    ), other as (
      update contacts o set opted_out_at = coalesce(o.opted_out_at, next.opted_out_since) from next
      where o.workspace_id = ${workspaceId} and o.id = next.gone_id and next.opted_out_since is not null
    ), forgotten as (
      delete from contact_merges where workspace_id = ${workspaceId} and id = ${id}
    )
    update contacts k set name = ${name}, email = ${email}, phone = ${phone}, username = ${username},
      search_text = ${searchText}, avatar_url = next.avatar_url, country_iso = next.country_iso,
      opted_out_at = next.opted_out_at, custom_fields = next.custom_fields
    from next where k.workspace_id = ${workspaceId} and k.id = next.id`.execute(db)
}

export type Counted = { channels: string[]; countryIso: string | null }

/** What the directory counts of a contact. */
export const findCounted = async ({ db, workspaceId }: Ctx, id: string): Promise<Counted> => {
  const { rows } = await sql<Counted>`
    select channels, country_iso as "countryIso" from contacts
    where workspace_id = ${workspaceId} and id = ${id}`.execute(db)
  return rows[0]!
}

/** Recomputes what both contacts keep of their conversations, and the directory's counts. `was`: of the one before. */
export const recountBoth = async (ctx: Ctx, ids: readonly string[], was: Counted): Promise<void> => {
  const { db, workspaceId } = ctx
  await sql`
    with own as (
      select k.id, k.country_iso, array(
          select c.channel from conversations c where c.workspace_id = k.workspace_id and c.contact_id = k.id
          group by c.channel order by array_position(${[...CHANNELS]}::text[], c.channel)) as channels,
        (select count(*) from conversations c where c.workspace_id = k.workspace_id and c.contact_id = k.id) as total,
        (select count(*) from conversations c
          where c.workspace_id = k.workspace_id and c.contact_id = k.id and c.status = 'open') as open,
        latest.*
      from contacts k left join lateral (
        select c.id as conversation_id, c.agent_id, c.updated_at from conversations c
        where c.workspace_id = k.workspace_id and c.contact_id = k.id
        order by c.updated_at desc, c.id desc limit 1
      ) latest on true
      where k.workspace_id = ${workspaceId} and k.id = any(${ids}::text[])
    ), change as (
      select 'total' as kind, '' as key, 1 as count
      union all select 'country', country_iso, 1 from own where country_iso is not null
      union all select 'channel', channel, 1 from own, unnest(own.channels) channel
      union all select 'country', ${was.countryIso}::text, -1 where ${was.countryIso}::text is not null
      union all select 'channel', channel, -1 from unnest(${was.channels}::text[]) channel
    ), counted as (
      insert into contact_counts (workspace_id, kind, key, shard, count)
      select ${workspaceId}, kind, key, ${freeShard(ctx)}, sum(count) from change
      group by kind, key having sum(count) <> 0
      order by kind desc, key
      on conflict (workspace_id, kind, key, shard) do update set count = contact_counts.count + excluded.count
    )
    update contacts k set channels = own.channels, conversation_count = own.total, open_count = own.open,
      latest_conversation_id = own.conversation_id, assigned_agent_id = own.agent_id,
      last_activity_at = coalesce(own.updated_at, k.last_activity_at)
    from own where k.workspace_id = ${workspaceId} and k.id = own.id`.execute(db)
}
