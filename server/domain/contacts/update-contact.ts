import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import type { CustomFields } from '../../platform/db/tables.ts'
import { invalid } from '../../platform/errors.ts'
import type { ContactPart } from '../../platform/events/catalogue.ts'
import { record } from '../../platform/events/record.ts'
import { addContactEvents } from '../automation/contact-events.ts'
import { indexContactBigrams } from '../search/bigrams.ts'
import { contactSearchTextOf } from '../search/search-text.ts'
import { getContactProfile, lockContact, updateContactRow } from './profile-queries.ts'
import { type ContactProfile, CUSTOM_FIELDS_KEPT_MAX, type UpdateContactBody } from './schema.ts'

/**
 * Renames a contact and merges its custom fields key by key (null removes), both or neither; omitted fields stay,
 * including those set concurrently. Throws CONTACT_NOT_FOUND, and VALIDATION_ERROR if there would be more than 200
 * fields.
 */
export const updateContact = (
  ctx: Ctx,
  contactId: string,
  { name, customFields = {} }: UpdateContactBody,
): Promise<ContactProfile> =>
  inTransaction(ctx, async (ctx) => {
    const known = await lockContact(ctx, contactId)
    const named = { ...known, name: name ?? known.name }
    const { count, before } = await updateContactRow(ctx, contactId, {
      name: named.name,
      searchText: contactSearchTextOf(named),
      customFields: split(customFields),
    })
    if (count > CUSTOM_FIELDS_KEPT_MAX)
      throw invalid({
        field: 'customFields',
        message: `a contact can have at most ${CUSTOM_FIELDS_KEPT_MAX} fields; this change would make it ${count}`,
      })
    if (named.name !== known.name) await indexContactBigrams(ctx, contactId, named.name)
    const fields = Object.entries(customFields).filter(
      ([key, value]) => (Object.hasOwn(before, key) ? before[key] : null) !== value,
    )
    const isRenamed = named.name !== known.name
    await addContactEvents(ctx, contactId, [
      ...(isRenamed ? [changeOf('name', named.name)] : []),
      ...fields.map(([key, value]) => changeOf(key, value)),
    ])
    const changed: ContactPart[] = fields.map(([key]) => `customFields.${key}` as const)
    if (isRenamed) changed.unshift('name')
    if (changed.length > 0)
      await record(ctx, { type: 'contact.updated', contactId, data: { contactId, changed } })
    return getContactProfile(ctx, contactId)
  })

const changeOf = (field: string, value: string | number | boolean | null) => ({
  on: 'field_changed' as const,
  field,
  to: value === null ? null : String(value),
})

const split = (fields: Record<string, string | number | boolean | null>) => {
  const entries = Object.entries(fields)
  return {
    set: Object.fromEntries(entries.filter(([, value]) => value !== null)) as CustomFields,
    removed: entries.filter(([, value]) => value === null).map(([key]) => key),
  }
}
