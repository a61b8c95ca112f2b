import { type Ctx, inTransaction } from '../../ctx.ts'
import type { CustomFields } from '../../db/tables.ts'
import { invalid } from '../../errors.ts'
import { record } from '../../events/record.ts'
import { indexContactGrams } from '../conversations/grams.ts'
import { getContactProfile, lockContact, updateContactRow } from './profile-queries.ts'
import { type ContactProfile, CUSTOM_FIELDS_KEPT_MAX, type UpdateContactBody } from './schema.ts'
import { contactSearchTextOf } from './search-text.ts'

/**
 * Renames a contact and merges its custom fields key by key (null removes), both or neither; fields that are not given
 * stay, also those that somebody else sets at the same moment. Throws CONTACT_NOT_FOUND, and VALIDATION_ERROR when more
 * than 200 fields would be kept.
 */
export const updateContact = (
  ctx: Ctx,
  contactId: string,
  { name, customFields = {} }: UpdateContactBody,
): Promise<ContactProfile> =>
  inTransaction(ctx, async (ctx) => {
    const known = await lockContact(ctx, contactId)
    const named = { ...known, name: name ?? known.name }
    const kept = await updateContactRow(ctx, contactId, {
      name: named.name,
      searchText: contactSearchTextOf(named),
      customFields: split(customFields),
    })
    if (kept > CUSTOM_FIELDS_KEPT_MAX)
      throw invalid({
        field: 'customFields',
        message: `a contact keeps at most ${CUSTOM_FIELDS_KEPT_MAX} fields; with these it would have ${kept}`,
      })
    if (named.name !== known.name) await indexContactGrams(ctx, contactId, named.name)
    await record(ctx, { type: 'contact.updated', contactId, data: { contactId } })
    return getContactProfile(ctx, contactId)
  })

const split = (fields: Record<string, string | number | boolean | null>) => {
  const entries = Object.entries(fields)
  return {
    set: Object.fromEntries(entries.filter(([, value]) => value !== null)) as CustomFields,
    removed: entries.filter(([, value]) => value === null).map(([key]) => key),
  }
}
