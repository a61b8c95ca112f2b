// The SQL of what contacts claim about themselves.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'

export type Profile = { name: string; email: string | null; phone: string | null; username: string | null }

/** What a contact says about themselves, the row locked until the transaction ends. */
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
