// All SQL of contacts, except for their counters.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { IdentityKind } from '../../platform/db/tables.ts'

export type ContactRow = { id: string; name: string; email: string | null; phone: string | null }

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

export const confirmIdentity = async (
  { db, workspaceId }: Ctx,
  contactId: string,
  { kind, value }: { kind: IdentityKind; value: string },
): Promise<void> => {
  await db
    .updateTable('identities')
    .set({ confirmed: true })
    .where('workspace_id', '=', workspaceId)
    .where('kind', '=', kind)
    .where('value', '=', value)
    .where('contact_id', '=', contactId)
    .where('confirmed', '=', false)
    .execute()
}
