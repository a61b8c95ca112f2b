// Contacts: one with an identity that is known here is that contact, which stays as it is.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { conflict } from '../../platform/db/failures.ts'
import { rowsOf } from '../../platform/db/rows-of.ts'
import { freeShard } from '../contacts/counters.ts'
import { withoutErased } from '../erasures/erased-identities.ts'
import { contactSearchTextOf } from '../search/search-text.ts'
import { findImported } from './import-queries.ts'
import { type ContactRow, type ImportedIdentity, readContact } from './import-rows.ts'
import type { Loader, Placed, Run } from './loader.ts'

const keyOf = ({ kind, value }: Pick<ImportedIdentity, 'kind' | 'value'>): string => `${kind}\n${value}`

const findHolders = async (
  { db, workspaceId }: Ctx,
  identities: readonly ImportedIdentity[],
): Promise<Map<string, string>> => {
  const { rows } = await sql<{ kind: ImportedIdentity['kind']; value: string; contactId: string }>`
    select i.kind, i.value, i.contact_id as "contactId"
    from unnest(${identities.map(({ kind }) => kind)}::text[], ${identities.map(({ value }) => value)}::text[])
      as q (kind, value)
    join identities i on i.workspace_id = ${workspaceId} and i.kind = q.kind and i.value = q.value collate "C"`.execute(
    db,
  )
  return new Map(rows.map((row) => [keyOf(row), row.contactId]))
}

type NewContact = ContactRow & { targetId: string }

const insertContacts = async (ctx: Ctx, contacts: readonly NewContact[]): Promise<void> => {
  const { db, workspaceId } = ctx
  const rows = contacts.map(({ identities: _, ...contact }) => ({
    ...contact,
    searchText: contactSearchTextOf(contact),
  }))
  const identities = contacts.flatMap(({ targetId, identities, at }) =>
    identities.map((one) => ({ ...one, contactId: targetId, at })),
  )
  const { rows: counted } = await sql<{ identities: number }>`
    with contact as (
      insert into contacts (workspace_id, id, name, email, phone, username, country_iso, custom_fields, opted_out_at,
        search_text, created_at)
      select ${workspaceId}, "targetId", name, email, phone, username, "countryIso", "customFields", "optedOutAt",
        "searchText", at
      from ${rowsOf(rows)} as c ("targetId" text, name text, email text, phone text, username text, "countryIso" text,
        "customFields" jsonb, "optedOutAt" timestamptz, "searchText" text, at timestamptz)
      returning id, country_iso
    ), identity as (
      insert into identities (workspace_id, kind, value, contact_id, verified, created_at)
      select ${workspaceId}, kind, value, "contactId", verified, at
      from jsonb_to_recordset(${JSON.stringify(identities)}::jsonb)
        as i (kind text, value text, "contactId" text, verified boolean, at timestamptz)
      order by kind collate "C", value collate "C"
      on conflict do nothing
      returning kind
    ), counted as (
      insert into contact_counts (workspace_id, kind, key, shard, count)
      select ${workspaceId}, kind, key, ${freeShard(ctx)}, count from (
        select 'total' as kind, '' as key, count(*) from contact having count(*) > 0
        union all
        select 'country', country_iso, count(*) from contact where country_iso is not null group by country_iso
      ) c
      order by kind desc, key
      on conflict (workspace_id, kind, key, shard) do update set count = contact_counts.count + excluded.count
    )
    select count(*)::integer as identities from identity`.execute(db)
  if (counted[0]!.identities !== identities.length) throw conflict('an identity was stored meanwhile')
}

/** In the tags and groups that came with them. */
const labelContacts = async (ctx: Ctx, run: Run, contacts: readonly NewContact[]): Promise<void> => {
  const { db, workspaceId, now } = ctx
  const tags = await findImported(
    ctx,
    run.source,
    'tag',
    contacts.flatMap(({ tagIds }) => tagIds),
  )
  const groups = await findImported(
    ctx,
    run.source,
    'group',
    contacts.flatMap(({ groupIds }) => groupIds),
  )
  const pairs = (known: typeof tags, idsOf: (contact: NewContact) => string[]) =>
    contacts.flatMap((contact) =>
      idsOf(contact).flatMap((id) => {
        const found = known.get(id)
        return found ? [{ contactId: contact.targetId, labelId: found.targetId }] : []
      }),
    )
  const ofTags = pairs(tags, ({ tagIds }) => tagIds)
  const ofGroups = pairs(groups, ({ groupIds }) => groupIds)
  const columns = sql`("contactId" text, "labelId" text)`
  if (ofTags.length > 0)
    await sql`
      insert into contact_tags (workspace_id, contact_id, tag_id)
      select ${workspaceId}, "contactId", "labelId" from ${rowsOf(ofTags)} as p ${columns}
      join tags t on t.workspace_id = ${workspaceId} and t.id = "labelId"
      on conflict do nothing`.execute(db)
  if (ofGroups.length > 0)
    await sql`
      insert into contact_group_members (workspace_id, group_id, contact_id, added_at)
      select ${workspaceId}, "labelId", "contactId", ${now()} from ${rowsOf(ofGroups)} as p ${columns}
      join contact_groups g on g.workspace_id = ${workspaceId} and g.id = "labelId"
      on conflict do nothing`.execute(db)
}

/** Those who were not erased since. One without a time of its own may be from before. */
const listAllowed = async <Row extends ContactRow>(
  ctx: Ctx,
  { now }: Run,
  rows: readonly Row[],
): Promise<Set<Row>> => {
  const dated = rows.map((row) => ({ row, sentAt: row.at < now ? row.at : new Date(0) }))
  const allowed = await withoutErased(ctx, dated, ({ row }) => row.identities)
  return new Set(allowed.map(({ row }) => row))
}

const insert = async (ctx: Ctx, run: Run, rows: readonly ContactRow[]): Promise<Placed[]> => {
  const allowed = await listAllowed(ctx, run, rows)
  const holders = await findHolders(
    ctx,
    rows.flatMap(({ identities }) => identities),
  )
  const created: NewContact[] = []
  const placed = rows.map((row): Placed => {
    if (!allowed.has(row)) return { problem: 'this person was erased here' }
    const holder = row.identities.map((one) => holders.get(keyOf(one))).find((id) => id !== undefined)
    if (holder !== undefined) return { targetId: holder, isCreated: false }
    const targetId = run.idAt(row.at, row.id)
    // Later rows with one of them are this contact.
    for (const one of row.identities) holders.set(keyOf(one), targetId)
    created.push({ ...row, targetId })
    return { targetId, isCreated: true }
  })
  if (created.length > 0) {
    await insertContacts(ctx, created)
    await labelContacts(ctx, run, created)
  }
  return placed
}

const update = async (ctx: Ctx, run: Run, changed: readonly NewContact[]): Promise<void> => {
  const allowed = await listAllowed(ctx, run, changed)
  const contacts = changed.filter((contact) => allowed.has(contact))
  if (contacts.length === 0) return
  const rows = contacts.map((contact) => ({ ...contact, searchText: contactSearchTextOf(contact) }))
  await sql`
    update contacts c set name = r.name, email = r.email, phone = r.phone, username = r.username,
      custom_fields = c.custom_fields || r."customFields", search_text = r."searchText"
    from ${rowsOf(rows)} as r ("targetId" text, name text, email text, phone text, username text,
      "customFields" jsonb, "searchText" text)
    where c.workspace_id = ${ctx.workspaceId} and c.id = r."targetId" and not exists (
      -- Who was anonymised stays that.
      select from erasures e where e.workspace_id = c.workspace_id and e.contact_id = c.id)`.execute(ctx.db)
  await labelContacts(ctx, run, contacts)
}

export const CONTACTS: Loader<ContactRow> = {
  resource: 'contacts',
  kind: 'contact',
  table: 'contacts',
  read: readContact,
  insert,
  update,
}
