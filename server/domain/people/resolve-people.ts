// Finds or creates many contacts at once, even if a channel proves several identities of one person: WhatsApp with its
// number, its id and its business-scoped user id; SMS with a number that WhatsApp may know too.
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { conflict } from '../../platform/db/failures.ts'
import type { IdentityKind } from '../../platform/db/tables.ts'
import { record } from '../../platform/events/record.ts'
import { changedParts } from '../contacts/claim-queries.ts'
import {
  cutName,
  identitiesOf,
  namesOf,
  numbersOf,
  type ProvenPerson,
  spellingsOf,
  type WhatsappPerson,
} from '../contacts/names.ts'
import {
  type Identity,
  insertIdentities,
  insertPeople,
  listIdentities,
  lockContactsByIdentities,
  moveIdentities,
  type PersonRow,
  updatePerson,
} from '../contacts/people-queries.ts'
import { countryOf } from '../contacts/phone.ts'
import { indexContactBigrams } from '../search/bigrams.ts'
import { contactSearchTextOf } from '../search/search-text.ts'
import { mergeContacts } from './merge-contacts.ts'

export type ResolvedPerson = PersonRow & { created: boolean }

const keyOf = ({ kind, value }: { kind: IdentityKind; value: string }): string => `${kind}\n${value}`

const nameOf = ({ nameIfNew, name, username, phone, waId, userId, own }: ProvenPerson): string =>
  cutName(nameIfNew || name || username || phone || waId || userId || own?.value || '')

/** A contact as found, or as it will be stored together with others. */
type Draft = PersonRow & { isNew: boolean; identities: Identity[]; countryIso: string | null }

/**
 * The contacts of people, in their order, the rows locked until the transaction ends; unknown people become contacts.
 * Numbers are also found in their other spellings. If one person's identities belong to two contacts, those are merged.
 * Anything new about a contact (a number, a name if it had none) is stored. The number of statements only grows with
 * the changes to known contacts. If one of the new people is stored concurrently, the transaction is retried.
 */
export const resolvePeople = (ctx: Ctx, people: readonly ProvenPerson[]): Promise<ResolvedPerson[]> =>
  inTransaction(ctx, async (ctx) => {
    const known = new Map<string, Draft>()
    const drafts = new Map<string, Draft>()
    const keys = new Map<string, Identity>()
    for (const person of people) for (const name of namesOf(ctx, person)) keys.set(keyOf(name), name)
    for (const { kind, value, ...row } of await lockContactsByIdentities(ctx, [...keys.values()])) {
      const draft = drafts.get(row.id) ?? { ...row, isNew: false, identities: [], countryIso: null }
      drafts.set(row.id, draft)
      known.set(keyOf({ kind, value }), draft)
    }
    let pending: Draft[] = []
    const store = async () => {
      await storeDrafts(ctx, pending)
      for (const draft of pending) draft.isNew = false
      pending = []
    }
    const resolved: { contact: Draft; created: boolean }[] = []
    const additions: { identity: Identity; contact: Draft }[] = []
    const moved: { identity: Identity; contact: Draft }[] = []
    for (const person of people) {
      const identities = identitiesOf(person)
      const byUser = person.userId ? known.get(keyOf(identities[0]!)) : undefined
      const byNumber = spellingsOf(ctx, person)
        .map((identity) => known.get(keyOf(identity)))
        .find((found) => found !== undefined)
      const byOwn = person.own && known.get(keyOf(person.own))
      let contact = byUser ?? byNumber ?? byOwn
      if (byUser && byNumber && byUser !== byNumber) {
        if (byUser.isNew || byNumber.isNew) await store()
        const { kept, gone } = await unite(ctx, person, byUser, byNumber)
        if (gone) {
          for (const [key, draft] of known) if (draft === gone) known.set(key, kept)
          for (const one of [...resolved, ...additions, ...moved])
            if (one.contact === gone) one.contact = kept
        }
        contact = kept
      }
      const created = contact === undefined
      if (!contact) {
        contact = draftOf(ctx, person, identities)
        pending.push(contact)
      } else await fillIn(ctx, contact, person)
      for (const identity of identities) {
        const holder = known.get(keyOf(identity))
        known.set(keyOf(identity), contact)
        if (holder === contact || created) continue
        if (contact.isNew) contact.identities.push(identity)
        else additions.push({ identity, contact })
      }
      if (person.own && byOwn && byOwn !== contact) moved.push({ identity: person.own, contact })
      resolved.push({ contact, created })
    }
    await store()
    // The number has a new owner, who takes over the former owner's address.
    for (const { identity, contact } of moved) await moveIdentities(ctx, contact.id, [identity])
    if (additions.length > 0)
      await insertIdentities(
        ctx,
        additions.map(({ identity, contact }) => ({ ...identity, contactId: contact.id })),
      )
    return resolved.map(({ contact: { id, name, email, phone, username }, created }) => ({
      id,
      name,
      email,
      phone,
      username,
      created,
    }))
  })

const draftOf = (ctx: Ctx, person: ProvenPerson, identities: Identity[]): Draft => {
  if (identities.length === 0) throw new Error('a person without any id')
  const { phone, username, userId, countryIso } = person
  return {
    id: ctx.newId(),
    name: nameOf(person),
    email: null,
    phone,
    username,
    isNew: true,
    identities: [...identities],
    countryIso: countryOf(phone, userId ?? undefined) ?? countryIso ?? null,
  }
}

const storeDrafts = async (ctx: Ctx, drafts: readonly Draft[]): Promise<void> => {
  if (drafts.length === 0) return
  const count = await insertPeople(
    ctx,
    drafts.map((draft) => ({
      ...draft,
      searchText: contactSearchTextOf(draft),
    })),
  )
  if (count === drafts.length) return
  throw conflict('one of the people was stored meanwhile')
}

/**
 * Merges two contacts of one person into the older one. If both had numbers and user ids of their own, the number has a
 * new owner instead, and moves to the contact with the user id.
 */
const unite = async (
  ctx: Ctx,
  person: WhatsappPerson,
  byUser: Draft,
  byNumber: Draft,
): Promise<{ kept: Draft; gone: Draft | null }> => {
  const identities = await listIdentities(ctx, [byUser.id, byNumber.id])
  const has = (contact: PersonRow, kind: IdentityKind) =>
    identities.some((one) => one.contactId === contact.id && one.kind === kind)
  if (has(byUser, 'whatsapp_id') && has(byNumber, 'whatsapp_user_id')) {
    await moveIdentities(ctx, byUser.id, numbersOf(person))
    return { kept: byUser, gone: null }
  }
  const [kept, gone] = byUser.id < byNumber.id ? [byUser, byNumber] : [byNumber, byUser]
  Object.assign(kept, await mergeContacts(ctx, kept.id, gone.id))
  return { kept, gone }
}

/** Fills in what the contact lacks. Names given by the team stay; placeholders are replaced. */
const fillIn = async (ctx: Ctx, contact: Draft, person: ProvenPerson): Promise<void> => {
  const phone = contact.phone ?? person.phone
  const username = person.username ?? contact.username
  const isNameless =
    [contact.email, contact.phone, contact.username, person.userId, person.waId, person.own?.value].includes(
      contact.name,
    ) || /^\+?\d+$/.test(contact.name)
  const better = person.name ?? person.username ?? phone
  const name = isNameless && better ? cutName(better) : contact.name
  if (phone === contact.phone && username === contact.username && name === contact.name) return
  const countryIso =
    countryOf(phone, person.userId ?? undefined) ??
    person.countryIso ??
    (contact.isNew ? contact.countryIso : null)
  const changed = changedParts(contact, { ...contact, phone, username, name })
  Object.assign(contact, { phone, username, name, countryIso })
  if (contact.isNew) return
  await updatePerson(ctx, contact.id, {
    ...contact,
    countryIso,
    searchText: contactSearchTextOf(contact),
  })
  await indexContactBigrams(ctx, contact.id, name)
  await record(ctx, {
    type: 'contact.updated',
    contactId: contact.id,
    data: { contactId: contact.id, changed },
  })
}
