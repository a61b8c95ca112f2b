import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { record } from '../../platform/events/record.ts'
import { changedParts } from '../contacts/claim-queries.ts'
import { identitiesOf, namesOf, type WhatsappPerson } from '../contacts/names.ts'
import {
  deleteIdentities,
  listIdentities,
  lockContactsByIdentities,
  moveIdentities,
  type PersonRow,
  updatePerson,
} from '../contacts/people-queries.ts'
import { countryOf } from '../contacts/phone.ts'
import { contactSearchTextOf } from '../search/search-text.ts'
import { mergeContacts } from './merge-contacts.ts'

/**
 * WhatsApp reports that a customer has a new number or a new user id. The contact takes it and gives up the old one,
 * which may be reassigned to someone else; a contact created under the new one meanwhile is merged. Undefined if
 * neither is known.
 */
export const renamePerson = (
  ctx: Ctx,
  { previous, next }: { previous: WhatsappPerson; next: WhatsappPerson },
): Promise<PersonRow | undefined> =>
  inTransaction(ctx, async (ctx) => {
    const contacts = await lockContactsByIdentities(ctx, [...namesOf(ctx, previous), ...namesOf(ctx, next)])
    const [first, ...others] = new Map(contacts.map((contact) => [contact.id, contact])).values()
    if (!first) return undefined
    let { id, name, email, phone, username }: PersonRow = first
    for (const other of others) ({ name, email, phone, username } = await mergeContacts(ctx, id, other.id))
    const kept = new Set([next.userId, next.waId, next.phone])
    const old = new Set([previous.userId, previous.waId, previous.phone])
    const gone = (await listIdentities(ctx, [id])).filter(({ value }) => old.has(value) && !kept.has(value))
    if (gone.length > 0) await deleteIdentities(ctx, id, gone)
    await moveIdentities(ctx, id, identitiesOf(next))
    const newPhone = next.phone ?? phone
    const renamed = {
      id,
      name: name === phone && newPhone ? newPhone : name,
      email,
      phone: newPhone,
      username,
    }
    await updatePerson(ctx, id, {
      ...renamed,
      countryIso: countryOf(newPhone, next.userId ?? undefined),
      searchText: contactSearchTextOf(renamed),
    })
    await record(ctx, {
      type: 'contact.updated',
      contactId: id,
      data: { contactId: id, changed: [...changedParts(first, renamed), 'identities'] },
    })
    return renamed
  })
