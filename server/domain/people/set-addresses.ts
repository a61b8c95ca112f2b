// The email and phone number that the team enters for a contact.
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError } from '../../platform/errors.ts'
import { record } from '../../platform/events/record.ts'
import { changedParts, setProfile } from '../contacts/claim-queries.ts'
import { insertIdentities, updatePerson } from '../contacts/people-queries.ts'
import { countryOf } from '../contacts/phone.ts'
import { getContactProfile, lockContact } from '../contacts/profile-queries.ts'
import { confirmIdentity } from '../contacts/queries.ts'
import type { ContactProfile } from '../contacts/schema.ts'
import { contactSearchTextOf } from '../search/search-text.ts'
import { type Key, readKeys } from './contact-keys.ts'
import { deleteUnusedAddresses, type Holder, lockHolders } from './holder-queries.ts'
import { lockVisible } from './merge-queries.ts'
import type { AddressesBody } from './merge-schema.ts'
import { holderOf, releaseClaims } from './upsert-contact.ts'

/**
 * Replaces the email or number that a contact shows; null removes it. The team vouches for what it enters: it identifies
 * the contact, and what visitors merely typed goes to them. An address before it goes, unless messages came from it. Throws
 * CONTACT_NOT_FOUND, CONTACT_BEING_DELETED, VALIDATION_ERROR for a number that can't be read, and CONTACT_CONFLICT naming
 * the contact that has the address, if the actor sees that one.
 */
export const setAddresses = (
  ctx: Ctx,
  contactId: string,
  { email, phone }: AddressesBody,
): Promise<ContactProfile> =>
  inTransaction(ctx, async (ctx) => {
    const [found] = await lockVisible(ctx, [contactId])
    if (!found) throw new ApiError('CONTACT_NOT_FOUND')
    if (found.isErased) throw new ApiError('CONTACT_BEING_DELETED')
    const known = await lockContact(ctx, contactId)
    const keys = await readKeys(ctx, { ...(email && { email }), ...(phone && { phone }) }, (name) => name)
    const holders = await lockHolders(ctx, keys)
    await refuseOthers(ctx, contactId, keys, holders)
    const partOf = (part: 'email' | 'phone', given: string | null | undefined) =>
      given === undefined ? known[part] : (keys.find(({ name }) => name === part)?.identity.value ?? null)
    const next = { ...known, email: partOf('email', email), phone: partOf('phone', phone) }
    if (known.name === known.email || known.name === known.phone)
      next.name = next.email ?? next.phone ?? known.name
    await deleteUnusedAddresses(ctx, contactId, {
      email: next.email === known.email ? null : known.email,
      phone: next.phone === known.phone ? null : known.phone,
    })
    await releaseClaims(ctx, keys, holders)
    await insertIdentities(
      ctx,
      keys.map(({ name, identity }) => ({ ...identity, contactId, confirmed: name === 'email' })),
    )
    if (email && next.email) await confirmIdentity(ctx, contactId, { kind: 'email', value: next.email })
    if (next.phone !== known.phone)
      await updatePerson(ctx, contactId, {
        ...next,
        countryIso: countryOf(next.phone),
        searchText: contactSearchTextOf(next),
      })
    if (changedParts(known, next).length > 0) await setProfile(ctx, contactId, known, next)
    else
      await record(ctx, { type: 'contact.updated', contactId, data: { contactId, changed: ['identities'] } })
    return getContactProfile(ctx, contactId)
  })

const refuseOthers = async (
  ctx: Ctx,
  contactId: string,
  keys: readonly Key[],
  holders: readonly Holder[],
): Promise<void> => {
  const others = keys.flatMap((key) => {
    const holder = holderOf(key, holders)
    return holder && holder.contactId !== contactId ? [{ field: key.name, id: holder.contactId }] : []
  })
  if (others.length === 0) return
  const visible = await lockVisible(
    ctx,
    others.map(({ id }) => id),
  )
  throw new ApiError('CONTACT_CONFLICT', {
    details: others.map(({ field, id }) => ({
      field,
      message: visible.some((one) => one.id === id)
        ? `belongs to contact ${id}`
        : 'belongs to a contact that you can’t see',
    })),
  })
}
