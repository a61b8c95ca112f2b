// The SQL of finding many people at once by the identities that a channel proves, and of storing what it shows
// about them.
import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { rowsOf } from '../../platform/db/rows-of.ts'
import type { ChannelName, IdentityKind } from '../../platform/db/tables.ts'
import { countLater, eventsFrom } from '../../platform/events/record.ts'
import { freeShard } from './counters.ts'

export type Identity = { kind: IdentityKind; value: string }

export type PersonRow = {
  id: string
  name: string
  email: string | null
  phone: string | null
  username: string | null
}

/**
 * The contacts that hold any of the identities, their rows locked in the order of their ids until the transaction ends.
 * One row for each identity that is held.
 */
export const lockContactsByIdentities = async (
  { db, workspaceId }: Ctx,
  identities: readonly Identity[],
): Promise<(Identity & PersonRow)[]> => {
  const { rows } = await sql<Identity & PersonRow>`
    select i.kind, i.value, k.id, k.name, k.email, k.phone, k.username
    from unnest(
      ${identities.map(({ kind }) => kind)}::text[], ${identities.map(({ value }) => value)}::text[]
    ) q (kind, value)
    join identities i on i.workspace_id = ${workspaceId} and i.kind = q.kind and i.value = q.value
    join contacts k on k.workspace_id = i.workspace_id and k.id = i.contact_id
    order by k.id
    for no key update of k`.execute(db)
  return rows
}

/** Verified by default. `confirmed`: mail from the address passed its checks, or the workspace gave it. */
export type Claimed = Identity & { verified?: boolean; confirmed?: boolean }

type NewPerson = PersonRow & {
  countryIso: string | null
  searchText: string
  /** The first must be free; the others are only added if nobody holds them. */
  identities: readonly Claimed[]
}

/**
 * Inserts contacts with their identities and counts them in the directory, all in one statement: identities are claimed
 * first, and a contact is only stored if its first one was free. (Foreign keys are checked when the statement ends, so
 * the referencing row may come first.) Announces them, and returns how many were stored.
 */
export const insertPeople = async (ctx: Ctx, people: readonly NewPerson[]): Promise<number> => {
  const { db, workspaceId, now } = ctx
  const rows = people.map(({ identities: [first], ...person }) => ({ ...first, ...person }))
  const others = people.flatMap(({ id, identities }) => identities.slice(1).map((one) => ({ ...one, id })))
  const { rows: counted } = await sql<{ count: number }>`
    with input as (
      select * from ${rowsOf(rows)} as p (
        id text, kind text, value text, verified boolean, confirmed boolean, name text, email text, phone text,
        username text, "countryIso" text, "searchText" text)
    ), claimed as (
      insert into identities (workspace_id, kind, value, contact_id, verified, confirmed, created_at)
      select ${workspaceId}, kind, value, id, coalesce(verified, true), coalesce(confirmed, false), ${now()} from input
      order by kind collate "C", value collate "C"
      on conflict do nothing
      returning contact_id
    ), contact as (
      insert into contacts (workspace_id, id, name, email, phone, username, country_iso, search_text, created_at)
      select ${workspaceId}, id, name, email, phone, username, "countryIso", "searchText", ${now()}
      from input join claimed on claimed.contact_id = input.id
      order by id
      returning id, country_iso
    ), other as (
      insert into identities (workspace_id, kind, value, contact_id, verified, created_at)
      select ${workspaceId}, o.kind, o.value, o.id, true, ${now()}
      from jsonb_to_recordset(${JSON.stringify(others)}::jsonb) as o (id text, kind text, value text)
      join claimed on claimed.contact_id = o.id
      order by o.kind collate "C", o.value collate "C"
      on conflict do nothing
      returning contact_id, kind
    ), event as (${eventsFrom(
      ctx,
      'contact.created',
      sql`
        select null::text as "conversationId", c.id as "contactId", jsonb_build_object('contactId', c.id,
          'identityKinds', array[i.kind] || array(select kind from other o where o.contact_id = c.id order by kind)) as data
        from contact c join input i on i.id = c.id`,
    )}
    ), counted as (
      insert into contact_counts (workspace_id, kind, key, shard, count)
      select ${workspaceId}, kind, key, ${freeShard(ctx)}, count from (
        select 'total' as kind, '' as key, count(*) from contact having count(*) > 0
        union all
        select 'country', country_iso, count(*) from contact where country_iso is not null group by country_iso
      ) c
      order by kind desc, key
      on conflict (workspace_id, kind, key, shard)
        do update set count = contact_counts.count + excluded.count
    )
    select count(*) as count from contact`.execute(db)
  const { count } = counted[0]!
  countLater(ctx, 'contact.created', count)
  return count
}

/** Adds proven identities; one that another contact got meanwhile stays there. */
export const insertIdentities = async (
  { db, workspaceId, now }: Ctx,
  rows: readonly (Identity & { contactId: string; confirmed?: boolean })[],
): Promise<void> => {
  await sql`
    insert into identities (workspace_id, kind, value, contact_id, verified, confirmed, created_at)
    select ${workspaceId}, kind, value, contact_id, true, confirmed, ${now()}
    from unnest(
      ${rows.map(({ kind }) => kind)}::text[],
      ${rows.map(({ value }) => value)}::text[],
      ${rows.map(({ contactId }) => contactId)}::text[],
      ${rows.map(({ confirmed = false }) => confirmed)}::boolean[]
    ) n (kind, value, contact_id, confirmed)
    order by kind, value
    on conflict do nothing`.execute(db)
}

/** Moves identities to a contact, whoever held them. */
export const moveIdentities = async (
  { db, workspaceId, now }: Ctx,
  contactId: string,
  identities: readonly Identity[],
): Promise<void> => {
  await sql`
    insert into identities (workspace_id, kind, value, contact_id, verified, created_at)
    select ${workspaceId}, kind, value, ${contactId}, true, ${now()}
    from unnest(
      ${identities.map(({ kind }) => kind)}::text[], ${identities.map(({ value }) => value)}::text[]
    ) n (kind, value)
    order by kind, value
    on conflict (workspace_id, kind, value)
      do update set contact_id = excluded.contact_id, verified = true, created_at = excluded.created_at`.execute(
    db,
  )
}

export const deleteIdentities = async (
  { db, workspaceId }: Ctx,
  contactId: string,
  identities: readonly Identity[],
): Promise<void> => {
  await sql`
    delete from identities i
    using unnest(
      ${identities.map(({ kind }) => kind)}::text[], ${identities.map(({ value }) => value)}::text[]
    ) n (kind, value)
    where i.workspace_id = ${workspaceId} and i.kind = n.kind and i.value = n.value
      and i.contact_id = ${contactId}`.execute(db)
}

/** A contact's identities on a channel. */
export const listIdentities = async (
  { db, workspaceId }: Ctx,
  contactIds: readonly string[],
): Promise<(Identity & { contactId: string })[]> => {
  const { rows } = await sql<Identity & { contactId: string }>`
    select kind, value, contact_id as "contactId" from identities
    where workspace_id = ${workspaceId} and contact_id = any(${contactIds}::text[])
    order by created_at, value`.execute(db)
  return rows
}

type PersonChange = Omit<PersonRow, 'id' | 'email'> & { countryIso: string | null; searchText: string }

/** Stores what a channel has shown about a contact, and counts its country in the directory. The caller holds the row lock. */
export const updatePerson = async (ctx: Ctx, id: string, change: PersonChange): Promise<void> => {
  const { db, workspaceId } = ctx
  await sql`
    with before as (
      select country_iso from contacts where workspace_id = ${workspaceId} and id = ${id}
    ), contact as (
      update contacts set name = ${change.name}, phone = ${change.phone}, username = ${change.username},
        country_iso = ${change.countryIso}, search_text = ${change.searchText}
      where workspace_id = ${workspaceId} and id = ${id}
    )
    insert into contact_counts (workspace_id, kind, key, shard, count)
    select ${workspaceId}, 'country', c.key, ${freeShard(ctx)}, c.count
    from before, lateral (values (country_iso, -1), (${change.countryIso}::text, 1)) c (key, count)
    where c.key is not null and country_iso is distinct from ${change.countryIso}::text
    order by c.key
    on conflict (workspace_id, kind, key, shard)
      do update set count = contact_counts.count + excluded.count`.execute(db)
}

/** The id of the contact's picture file. */
export const setAvatar = async (
  { db, workspaceId }: Ctx,
  contactId: string,
  attachmentId: string,
): Promise<void> => {
  await db
    .updateTable('contacts')
    .set({ avatar_url: attachmentId })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', contactId)
    .execute()
}

type Wish = { at: Date; channel: ChannelName }

/** Opts the contacts out of broadcasts, on a channel or because of what came from it. */
export const setOptedOut = (ctx: Ctx, contactIds: readonly string[], { at, channel }: Wish): Promise<void> =>
  setWish(ctx, contactIds, {
    type: 'contact.opted_out',
    channel,
    to: sql`${at}::timestamptz`,
    from: sql`opted_out_at is null or opted_out_at < ${at}::timestamptz`,
    isNews: sql`opted_out_at is null`,
  })

/** Opts the contacts in again, unless they opted out after that time. Providers' times are in whole seconds. */
export const setOptedIn = (ctx: Ctx, contactIds: readonly string[], { at, channel }: Wish): Promise<void> =>
  setWish(ctx, contactIds, {
    type: 'contact.opted_in',
    channel,
    to: sql`null`,
    from: sql`date_trunc('second', opted_out_at) <= ${at}::timestamptz`,
    isNews: sql`true`,
  })

/** In the caller's transaction; one statement. */
const setWish = async (
  ctx: Ctx,
  contactIds: readonly string[],
  {
    type,
    channel,
    to,
    from,
    isNews,
  }: {
    type: 'contact.opted_out' | 'contact.opted_in'
    channel: ChannelName
    to: RawBuilder<unknown>
    from: RawBuilder<unknown>
    isNews: RawBuilder<unknown>
  },
): Promise<void> => {
  const { db, workspaceId } = ctx
  const { rows } = await sql<{ count: number }>`
    with found as materialized (
      select id, ${isNews} as is_news from contacts
      where workspace_id = ${workspaceId} and id = any(${contactIds}::text[]) and (${from})
      order by id
      for no key update
    ), changed as (
      update contacts c set opted_out_at = ${to} from found
      where c.workspace_id = ${workspaceId} and c.id = found.id
    ), event as (${eventsFrom(
      ctx,
      type,
      sql`
        select null::text as "conversationId", id as "contactId",
          jsonb_build_object('contactId', id, 'channel', ${channel}::text) as data
        from found where is_news`,
    )}
    )
    select count(*)::integer as count from found where is_news`.execute(db)
  countLater(ctx, type, rows[0]!.count)
}

/** Those of the contacts whose identity nobody has yet, locked against deletion. */
export const lockContactsWithout = async (
  { db, workspaceId }: Ctx,
  identities: readonly (Identity & { contactId: string })[],
): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    select id from contacts
    where workspace_id = ${workspaceId} and id in (
      select q.contact_id
      from unnest(
        ${identities.map(({ kind }) => kind)}::text[], ${identities.map(({ value }) => value)}::text[],
        ${identities.map(({ contactId }) => contactId)}::text[]
      ) q (kind, value, contact_id)
      where not exists (select from identities i
        where i.workspace_id = ${workspaceId} and i.kind = q.kind and i.value = q.value))
    order by id
    for key share`.execute(db)
  return rows.map(({ id }) => id)
}

/** The contacts that hold any of the identities. */
export const findContactIds = async (
  { db, workspaceId }: Ctx,
  identities: readonly Identity[],
): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    select distinct i.contact_id as id
    from unnest(
      ${identities.map(({ kind }) => kind)}::text[], ${identities.map(({ value }) => value)}::text[]
    ) q (kind, value)
    join identities i on i.workspace_id = ${workspaceId} and i.kind = q.kind and i.value = q.value`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}
