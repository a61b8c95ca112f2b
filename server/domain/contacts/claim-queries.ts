// The SQL of what contacts claim about themselves.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { record } from '../../platform/events/record.ts'
import { indexContactBigrams } from '../search/bigrams.ts'
import { contactSearchTextOf } from '../search/search-text.ts'

type Profile = { name: string; email: string | null; phone: string | null; username: string | null }

/** What differs of what contacts are called. */
export const changedParts = (before: Profile, after: Profile): (keyof Profile)[] =>
  (['name', 'email', 'phone', 'username'] as const).filter((part) => before[part] !== after[part])

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

/**
 * Stores the name, email and phone number, and indexes and announces them. `before`: what lockProfile found; the caller
 * holds the row lock.
 */
export const setProfile = async (
  ctx: Ctx,
  contactId: string,
  before: Profile,
  change: Partial<Profile>,
): Promise<void> => {
  const profile = { ...before, ...change }
  const { name, email, phone } = profile
  await ctx.db
    .updateTable('contacts')
    .set({ name, email, phone, search_text: contactSearchTextOf(profile) })
    .where('workspace_id', '=', ctx.workspaceId)
    .where('id', '=', contactId)
    .execute()
  await indexContactBigrams(ctx, contactId, name, email)
  await record(ctx, {
    type: 'contact.updated',
    contactId,
    data: { contactId, changed: changedParts(before, profile) },
  })
}
