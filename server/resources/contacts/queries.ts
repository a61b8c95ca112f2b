// All SQL of contacts, but for their counters.
import { sql } from 'kysely'
import type { Ctx } from '../../ctx.ts'
import type { IdentityKind } from '../../db/tables.ts'
import { randomShard } from './counters.ts'

export type ContactRow = { id: string; name: string; email: string | null; phone: string | null }

/** The contact that holds the identity, its row locked until the transaction ends. */
export const lockContactByIdentity = async (
  { db, workspaceId }: Ctx,
  { kind, value }: { kind: IdentityKind; value: string },
): Promise<ContactRow | undefined> => {
  const { rows } = await sql<ContactRow>`
    select k.id, k.name, k.email, k.phone
    from identities i
    join contacts k on k.workspace_id = i.workspace_id and k.id = i.contact_id
    where i.workspace_id = ${workspaceId} and i.kind = ${kind} and i.value = ${value}
    for no key update of k`.execute(db)
  return rows[0]
}

/** Who holds an identity, the contact's row locked, and whether it was proven. */
export const lockIdentity = async (
  { db, workspaceId }: Ctx,
  { kind, value }: { kind: IdentityKind; value: string },
): Promise<(ContactRow & { verified: boolean }) | undefined> => {
  const { rows } = await sql<ContactRow & { verified: boolean }>`
    select k.id, k.name, k.email, k.phone, i.verified
    from identities i
    join contacts k on k.workspace_id = i.workspace_id and k.id = i.contact_id
    where i.workspace_id = ${workspaceId} and i.kind = ${kind} and i.value = ${value}
    for no key update of k`.execute(db)
  return rows[0]
}

type NewContact = ContactRow & {
  username: string | null
  countryIso: string | null
  searchText: string
  identity: { kind: IdentityKind; value: string; verified: boolean }
  /** Taken along where nobody has them. */
  others: { kind: IdentityKind; value: string; verified: boolean }[]
}

/**
 * Inserts the contact if its identity is free, else nothing; undefined then. One statement: the identity is claimed
 * first and the contact follows only a claim that held, so that none is left over. (Foreign keys are checked when the
 * statement ends, which is why the row that points may come before the row it points to.)
 */
export const insertContact = async (
  { db, workspaceId, now }: Ctx,
  { identity, others, ...contact }: NewContact,
): Promise<ContactRow | undefined> => {
  const { rows } = await sql<ContactRow>`
    with claimed as (
      insert into identities (workspace_id, kind, value, contact_id, verified, created_at)
      values (${workspaceId}, ${identity.kind}, ${identity.value}, ${contact.id}, ${identity.verified}, ${now()})
      on conflict do nothing
      returning workspace_id, contact_id, created_at
    ), contact as (
      insert into contacts
        (workspace_id, id, name, email, phone, username, country_iso, search_text, created_at)
      select workspace_id, contact_id, ${contact.name}, ${contact.email}::text, ${contact.phone}::text,
        ${contact.username}::text, ${contact.countryIso}::text, ${contact.searchText}, created_at
      from claimed
      returning id, name, email, phone
    ), other as (
      insert into identities (workspace_id, kind, value, contact_id, verified, created_at)
      select workspace_id, kind, value, contact_id, verified, created_at
      from claimed, unnest(
        ${others.map(({ kind }) => kind)}::text[],
        ${others.map(({ value }) => value)}::text[],
        ${others.map(({ verified }) => verified)}::boolean[]) as o (kind, value, verified)
      on conflict do nothing
    ), counted as (
      insert into contact_counts (workspace_id, kind, key, shard, count)
      select workspace_id, kind, key, ${randomShard()}::smallint, 1
      from claimed, (values (1, 'total', ''), (2, 'country', ${contact.countryIso}::text)) as c (place, kind, key)
      where key is not null
      order by place
      on conflict (workspace_id, kind, key, shard) do update set count = contact_counts.count + 1
    )
    select id, name, email, phone from contact`.execute(db)
  return rows[0]
}
