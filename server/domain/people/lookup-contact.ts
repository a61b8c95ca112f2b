import type { Ctx } from '../../platform/ctx/ctx.ts'
import { ApiError } from '../../platform/errors.ts'
import { getContactProfile } from '../contacts/profile-queries.ts'
import type { Contact } from '../contacts/schema.ts'
import { type ContactKeys, readKeys } from './contact-keys.ts'
import { listHolders } from './holder-queries.ts'

/**
 * The contact that has exactly this key. What visitors merely typed finds nobody. If several contacts have spellings of
 * one number, the one with the given spelling, else the oldest. Throws CONTACT_NOT_FOUND, and VALIDATION_ERROR for a phone
 * that can't be read.
 */
export const lookUpContact = async (ctx: Ctx, keys: ContactKeys): Promise<{ contact: Contact }> => {
  const [key] = await readKeys(ctx, keys, (name) => name)
  const [holder] = await listHolders(ctx, [key!])
  if (!holder) throw new ApiError('CONTACT_NOT_FOUND')
  const { contact } = await getContactProfile(ctx, holder.contactId)
  return { contact }
}
