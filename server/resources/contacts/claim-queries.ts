// The SQL of what a contact says of themselves.
import { sql } from 'kysely'
import type { Ctx } from '../../ctx.ts'

export type Profile = { name: string; email: string | null; phone: string | null; username: string | null }

/** A contact's own words for who they are, the row locked until the transaction ends. */
export const lockProfile = async (
  { db, workspaceId }: Ctx,
  contactId: string,
): Promise<Profile | undefined> => {
  const { rows } = await sql<Profile>`
    select name, email, phone, username from contacts
    where workspace_id = ${workspaceId} and id = ${contactId}
    for no key update`.execute(db)
  return rows[0]
}

export const setProfile = async (
  { db, workspaceId }: Ctx,
  contactId: string,
  { name, email, searchText }: { name: string; email: string | null; searchText: string },
): Promise<void> => {
  await db
    .updateTable('contacts')
    .set({ name, email, search_text: searchText })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', contactId)
    .execute()
}

/** Leaves the address with whoever has it. */
export const insertClaimedEmail = async (
  { db, workspaceId, now }: Ctx,
  contactId: string,
  email: string,
): Promise<void> => {
  await db
    .insertInto('identities')
    .values({
      workspace_id: workspaceId,
      kind: 'email',
      value: email,
      contact_id: contactId,
      verified: false,
      created_at: now(),
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
