// Finds or creates a contact by the keys of another system, and changes it.
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { requireAllChannels } from '../../platform/ctx/scopes.ts'
import { conflict } from '../../platform/db/failures.ts'
import { ApiError } from '../../platform/errors.ts'
import type { ContactPart } from '../../platform/events/catalogue.ts'
import { record } from '../../platform/events/record.ts'
import { changeContactTags } from '../contacts/change-contact-tags.ts'
import { setProfile } from '../contacts/claim-queries.ts'
import { cutName } from '../contacts/names.ts'
import {
  deleteIdentities,
  insertIdentities,
  insertPeople,
  type PersonRow,
  updatePerson,
} from '../contacts/people-queries.ts'
import { countryOf } from '../contacts/phone.ts'
import { getContactProfile } from '../contacts/profile-queries.ts'
import { updateContact } from '../contacts/update-contact.ts'
import type { ContactUpserted, UpsertContactBody } from '../contacts/upsert-schema.ts'
import { contactSearchTextOf } from '../search/search-text.ts'
import { type Key, type KeyName, readKeys } from './contact-keys.ts'
import { type Holder, listExternalIds, lockHolders } from './holder-queries.ts'

/**
 * The contact that the keys point to, changed as `set` says; a new one with these keys if nobody has any of them. Keys
 * that nobody has are added to the contact that the others found, and fill in its email or phone if it shows none. Throws
 * CONTACT_CONFLICT if the keys point to different people, CONTACT_NOT_FOUND with `create: false`, and what changing a
 * contact throws.
 */
export const upsertContact = (
  ctx: Ctx,
  { match, set = {}, create = true }: UpsertContactBody,
): Promise<ContactUpserted> =>
  inTransaction(ctx, async (ctx) => {
    requireAllChannels(ctx.actor)
    const keys = await readKeys(ctx, match, (name) => `match.${name}`)
    const wanted =
      set.externalId === undefined ? [] : await readKeys(ctx, { externalId: set.externalId }, setField)
    const holders = await lockHolders(ctx, [...keys, ...wanted])
    const found = keys.flatMap((key) => holderOf(key, holders) ?? [])
    refuseSeveral(keys, holders)
    const [known] = found
    if (!known && !create) throw new ApiError('CONTACT_NOT_FOUND')
    const contactId = known
      ? await complete(ctx, known, keys, holders)
      : await createContact(ctx, keys, holders, set.name)
    await setExternalId(ctx, contactId, wanted, holders)
    const name = known ? set.name : undefined
    if (name !== undefined || set.customFields !== undefined)
      await updateContact(ctx, contactId, { name, customFields: set.customFields })
    if (set.addTagIds?.length) await changeContactTags(ctx, contactId, { add: set.addTagIds })
    const { contact } = await getContactProfile(ctx, contactId)
    const matchedBy = keys.filter((key) => holderOf(key, holders)).map(({ name }) => name)
    return { contact, created: !known, matchedBy }
  })

const setField = (name: KeyName): string => `set.${name}`

const isOf = (key: Key, { kind, value }: Holder): boolean =>
  key.identities.some((identity) => identity.kind === kind && identity.value === value)

/** Who proved the key; of several spellings of a number, who has the given one. */
export const holderOf = (key: Key, holders: readonly Holder[]): Holder | undefined => {
  const proven = holders.filter((holder) => holder.verified && isOf(key, holder))
  return proven.find(({ value }) => `+${value}`.endsWith(key.identity.value)) ?? proven[0]
}

/** Throws CONTACT_CONFLICT naming each key with its contact. */
const refuseSeveral = (keys: readonly Key[], holders: readonly Holder[]): void => {
  const found = keys.flatMap((key) => {
    const holder = holderOf(key, holders)
    return holder ? [{ field: `match.${key.name}`, contactId: holder.contactId }] : []
  })
  if (new Set(found.map(({ contactId }) => contactId)).size < 2) return
  throw new ApiError('CONTACT_CONFLICT', {
    details: found.map(({ field, contactId }) => ({ field, message: `belongs to contact ${contactId}` })),
  })
}

/** Adds the keys that nobody has to a contact that others found. */
const complete = async (
  ctx: Ctx,
  known: Holder,
  keys: readonly Key[],
  holders: readonly Holder[],
): Promise<string> => {
  const { contactId } = known
  const missing = keys.filter((key) => !holderOf(key, holders))
  if (missing.length === 0) return contactId
  if (missing.some(({ name }) => name === 'externalId')) await refuseOtherExternalId(ctx, contactId)
  await releaseClaims(ctx, missing, holders)
  await insertIdentities(
    ctx,
    missing.map(({ name, identity }) => ({ ...identity, contactId, confirmed: name === 'email' })),
  )
  const email = known.email ?? missing.find(({ name }) => name === 'email')?.identity.value ?? null
  const phone = known.phone ?? missing.find(({ name }) => name === 'phone')?.identity.value ?? null
  const { name, username } = known
  if (phone !== known.phone)
    await updatePerson(ctx, contactId, {
      name,
      phone,
      username,
      countryIso: countryOf(phone),
      searchText: contactSearchTextOf({ ...known, phone }),
    })
  if (email !== known.email) {
    await setProfile(ctx, contactId, known, { email, phone })
    return contactId
  }
  const changed: ContactPart[] = [...(phone === known.phone ? [] : ['phone' as const]), 'identities']
  await record(ctx, { type: 'contact.updated', contactId, data: { contactId, changed } })
  return contactId
}

/** A contact found by email or phone that is already known under another id of the other system is somebody else there. */
const refuseOtherExternalId = async (ctx: Ctx, contactId: string): Promise<void> => {
  const [other] = await listExternalIds(ctx, contactId)
  if (other === undefined) return
  throw new ApiError('CONTACT_CONFLICT', {
    details: [{ field: 'match.externalId', message: `contact ${contactId} has the externalId ${other}` }],
  })
}

/** What visitors merely typed goes to the contact that the workspace names. */
export const releaseClaims = async (
  ctx: Ctx,
  keys: readonly Key[],
  holders: readonly Holder[],
): Promise<void> => {
  for (const holder of holders)
    if (!holder.verified && keys.some((key) => isOf(key, holder)))
      await deleteIdentities(ctx, holder.contactId, [holder])
}

const createContact = async (
  ctx: Ctx,
  keys: readonly Key[],
  holders: readonly Holder[],
  given: string | undefined,
): Promise<string> => {
  await releaseClaims(ctx, keys, holders)
  const known = (name: KeyName) => keys.find((key) => key.name === name)?.identity.value ?? null
  const [email, phone] = [known('email'), known('phone')]
  const person: PersonRow = {
    id: ctx.newId(),
    name: cutName(given ?? email ?? phone ?? known('externalId') ?? ''),
    email,
    phone,
    username: null,
  }
  const count = await insertPeople(ctx, [
    {
      ...person,
      countryIso: countryOf(phone),
      searchText: contactSearchTextOf(person),
      identities: emailFirst(keys).map(({ name, identity }) => ({
        ...identity,
        confirmed: name === 'email',
      })),
    },
  ])
  // Somebody stored one of the keys meanwhile: their contact has to be found.
  if (count === 0) throw conflict('the contact was stored meanwhile')
  const held = (await lockHolders(ctx, keys)).filter(({ contactId }) => contactId === person.id)
  if (held.length < keys.length) throw conflict('one of the keys was stored meanwhile')
  return person.id
}

/** Only the first identity of a new contact can be confirmed, and only an email has to be. */
const emailFirst = (keys: readonly Key[]): Key[] =>
  keys.toSorted((a, b) => Number(b.name === 'email') - Number(a.name === 'email'))

/** The id of the other system becomes the contact's only one. Throws CONTACT_CONFLICT if another contact has it. */
const setExternalId = async (
  ctx: Ctx,
  contactId: string,
  [wanted]: readonly Key[],
  holders: readonly Holder[],
): Promise<void> => {
  if (!wanted) return
  const holder = holderOf(wanted, holders)
  if (holder && holder.contactId !== contactId)
    throw new ApiError('CONTACT_CONFLICT', {
      details: [{ field: 'set.externalId', message: `belongs to contact ${holder.contactId}` }],
    })
  const before = await listExternalIds(ctx, contactId)
  const others = before.filter((value) => value !== wanted.identity.value)
  if (others.length > 0)
    await deleteIdentities(
      ctx,
      contactId,
      others.map((value) => ({ kind: 'external', value })),
    )
  if (before.length === others.length) await insertIdentities(ctx, [{ ...wanted.identity, contactId }])
  if (others.length === 0 && before.length > 0) return
  await record(ctx, { type: 'contact.updated', contactId, data: { contactId, changed: ['identities'] } })
}
