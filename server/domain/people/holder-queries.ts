// The SQL of who holds the keys of a contact.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { Identity } from '../contacts/people-queries.ts'
import { asIdentities, type Key } from './contact-keys.ts'

export type Holder = Identity & {
  contactId: string
  /** False for what a visitor merely typed. */
  verified: boolean
  name: string
  email: string | null
  phone: string | null
  username: string | null
}

/** The contacts that proved the keys, those with the given spelling first, then the oldest. */
export const listHolders = async (ctx: Ctx, keys: readonly Key[]): Promise<Holder[]> => {
  const holders = await selectHolders(ctx, keys, false)
  return holders.filter(({ verified }) => verified)
}

/** Everyone who holds the keys, their rows locked in the order of their ids until the transaction ends. */
export const lockHolders = (ctx: Ctx, keys: readonly Key[]): Promise<Holder[]> =>
  selectHolders(ctx, keys, true)

const selectHolders = async (
  { db, workspaceId }: Ctx,
  keys: readonly Key[],
  isLocking: boolean,
): Promise<Holder[]> => {
  const identities = keys.flatMap((key) => key.identities)
  const given = keys.map(({ identity }) => identity.value.replace(/^\+/, ''))
  const { rows } = await sql<Holder>`
    select i.kind, i.value, i.verified, k.id as "contactId", k.name, k.email, k.phone, k.username
    from unnest(
      ${identities.map(({ kind }) => kind)}::text[], ${identities.map(({ value }) => value)}::text[]
    ) q (kind, value)
    join identities i on i.workspace_id = ${workspaceId} and i.kind = q.kind and i.value = q.value
    join contacts k on k.workspace_id = i.workspace_id and k.id = i.contact_id
    order by ${isLocking ? sql`k.id` : sql`ltrim(i.value, '+') = any (${given}::text[]) desc, k.id`}
    ${isLocking ? sql`for no key update of k` : sql``}`.execute(db)
  return rows
}

export const listExternalIds = async ({ db, workspaceId }: Ctx, contactId: string): Promise<string[]> => {
  const rows = await db
    .selectFrom('identities')
    .select('value')
    .where('workspace_id', '=', workspaceId)
    .where('contact_id', '=', contactId)
    .where('kind', '=', 'external')
    .orderBy('created_at')
    .orderBy('value')
    .execute()
  return rows.map(({ value }) => value)
}

/** Whether another contact is known by one of these, proved or typed. */
export const holdsAny = async (
  { db, workspaceId }: Ctx,
  { otherThan, identities }: { otherThan: string; identities: readonly Identity[] },
): Promise<boolean> => {
  const { rows } = await sql`
    select from unnest(
      ${identities.map(({ kind }) => kind)}::text[], ${identities.map(({ value }) => value)}::text[]
    ) q (kind, value)
    join identities i on i.workspace_id = ${workspaceId} and i.kind = q.kind and i.value = q.value
    where i.contact_id <> ${otherThan}
    limit 1`.execute(db)
  return rows.length > 0
}

/** Addresses that a contact no longer shows identify it only if its messages come from there. */
export const deleteUnusedAddresses = async (
  { db, workspaceId }: Ctx,
  contactId: string,
  { email, phone }: { email: string | null; phone: string | null },
): Promise<void> => {
  if (email === null && phone === null) return
  const channels = phone === null ? [] : asIdentities(phone).filter(({ kind }) => kind !== 'phone')
  await sql`
    delete from identities i
    where i.workspace_id = ${workspaceId} and i.contact_id = ${contactId} and (
      i.kind = 'email' and i.value = ${email} and not exists (select from conversations c
        join email_threads t on t.workspace_id = c.workspace_id and t.conversation_id = c.id
        where c.workspace_id = i.workspace_id and c.contact_id = i.contact_id and t.address = i.value)
      or i.kind = 'phone' and i.value = ${phone} and not exists (select from identities o
        where o.workspace_id = i.workspace_id and o.contact_id = i.contact_id
          and (o.kind, o.value) in (select kind, value from unnest(
            ${channels.map(({ kind }) => kind)}::text[], ${channels.map(({ value }) => value)}::text[]
          ) q (kind, value))))`.execute(db)
}
