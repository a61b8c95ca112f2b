// Who is on the other side, where a channel proves several names of one person at once: WhatsApp with its number, its id
// and its business-scoped user id.
import { type Ctx, inTransaction } from '../../ctx.ts'
import type { IdentityKind } from '../../db/tables.ts'
import { record } from '../../events/record.ts'
import { indexContactGrams } from '../conversations/grams.ts'
import { mergeContacts } from './merge-contacts.ts'
import {
  insertIdentities,
  type Known,
  listIdentities,
  lockContactsByIdentities,
  moveIdentities,
  type PersonRow,
  setLearnt,
} from './people-queries.ts'
import { countryOf } from './phone.ts'
import { insertContact } from './queries.ts'
import { CONTACT_NAME_MAX } from './schema.ts'
import { contactSearchTextOf } from './search-text.ts'

/** A customer of WhatsApp as a webhook or a send names them. At least one of userId, waId and phone is there. */
export type WhatsappPerson = {
  userId: string | null
  waId: string | null
  /** E.164 */
  phone: string | null
  name: string | null
  username: string | null
  /** What to call them when they are new; nobody who is known gets another name by it. */
  nameIfNew?: string | null
}

export type ResolvedPerson = PersonRow & { created: boolean }

/** Only a contact that vanishes between two looks needs more than two. */
const ATTEMPTS_MAX = 4

export const identitiesOf = ({ userId, waId, phone }: WhatsappPerson): Known[] => [
  ...(userId ? [{ kind: 'whatsapp_user_id' as const, value: userId }] : []),
  ...numbersOf({ waId, phone }),
]

const numbersOf = ({ waId, phone }: Pick<WhatsappPerson, 'waId' | 'phone'>): Known[] => [
  ...(waId ? [{ kind: 'whatsapp_id' as const, value: waId }] : []),
  ...(phone ? [{ kind: 'phone' as const, value: phone }] : []),
]

const DIGITS = /^\d{6,15}$/

/** The person's number in every spelling and under both kinds, exact ones first: what a look-up by number tries. */
const spellingsOf = (ctx: Ctx, { waId, phone }: Pick<WhatsappPerson, 'waId' | 'phone'>): Known[] => {
  const numbers = [waId, phone?.slice(1)].filter((text) => text != null && DIGITS.test(text)) as string[]
  const variants = numbers.flatMap((number) => ctx.channels.whatsapp.phoneVariants(number))
  return [
    ...numbersOf({ waId, phone }),
    ...[...new Set([...numbers, ...variants])].flatMap((digits) => [
      { kind: 'whatsapp_id' as const, value: digits },
      { kind: 'phone' as const, value: `+${digits}` },
    ]),
  ]
}

/** Everything that the person may be found by. */
export const namesOf = (ctx: Ctx, person: WhatsappPerson): Known[] => [
  ...identitiesOf(person),
  ...spellingsOf(ctx, person),
]

const keyOf = ({ kind, value }: { kind: IdentityKind; value: string }): string => `${kind}\n${value}`

const nameOf = ({ nameIfNew, name, username, phone, waId, userId }: WhatsappPerson): string =>
  [...(nameIfNew || name || username || phone || waId || userId || '')].slice(0, CONTACT_NAME_MAX).join('')

/**
 * The contacts of people, in their order, the rows locked until the transaction ends; who is not known yet becomes a
 * contact. A number is found in its other spellings too. Where the names of one person are with two contacts, those
 * become one. What is learnt of a contact (a number, a name where it had none) is written down.
 */
export const resolvePeople = (ctx: Ctx, people: readonly WhatsappPerson[]): Promise<ResolvedPerson[]> =>
  inTransaction(ctx, async (ctx) => {
    const known = new Map<string, PersonRow>()
    const look = async (wanted: readonly WhatsappPerson[]) => {
      const keys = new Map<string, Known>()
      for (const person of wanted)
        for (const identity of namesOf(ctx, person)) keys.set(keyOf(identity), identity)
      for (const { kind, value, ...contact } of await lockContactsByIdentities(ctx, [...keys.values()]))
        known.set(keyOf({ kind, value }), contact)
    }
    await look(people)
    const resolved: { contact: PersonRow; created: boolean }[] = []
    const additions: (Known & { contactId: string })[] = []
    const replace = (gone: PersonRow, kept: PersonRow) => {
      for (const [key, contact] of known) if (contact.id === gone.id) known.set(key, kept)
      for (const one of resolved) if (one.contact.id === gone.id) one.contact = kept
      for (const addition of additions) if (addition.contactId === gone.id) addition.contactId = kept.id
    }
    for (const person of people) {
      const identities = identitiesOf(person)
      let contact: PersonRow | undefined
      let created = false
      for (let attempt = 1; !contact; attempt++) {
        if (attempt > ATTEMPTS_MAX) throw new Error(`a contact came and went ${ATTEMPTS_MAX} times`)
        if (attempt > 1) await look([person])
        const byUser = person.userId ? known.get(keyOf(identities[0]!)) : undefined
        const byNumber = spellingsOf(ctx, person)
          .map((identity) => known.get(keyOf(identity)))
          .find((found) => found !== undefined)
        contact =
          byUser && byNumber && byUser.id !== byNumber.id
            ? await unite(ctx, person, byUser, byNumber, replace)
            : (byUser ?? byNumber)
        if (contact) break
        contact = await createPerson(ctx, person, identities)
        created = contact !== undefined
      }
      for (const identity of identities) {
        if (known.get(keyOf(identity))?.id !== contact.id && !created)
          additions.push({ ...identity, contactId: contact.id })
        known.set(keyOf(identity), contact)
      }
      if (!created) await learn(ctx, contact, person)
      resolved.push({ contact, created })
    }
    if (additions.length > 0) await insertIdentities(ctx, additions)
    return resolved.map(({ contact, created }) => ({ ...contact, created }))
  })

const createPerson = async (
  ctx: Ctx,
  person: WhatsappPerson,
  [identity, ...others]: Known[],
): Promise<PersonRow | undefined> => {
  if (!identity) throw new Error('a person without any id')
  const { phone, username } = person
  const name = nameOf(person)
  const row = await insertContact(ctx, {
    id: ctx.newId(),
    name,
    email: null,
    phone,
    username,
    countryIso: countryOf(phone, person.userId ?? undefined),
    searchText: contactSearchTextOf({ name, email: null, phone, username }),
    identity: { ...identity, verified: true },
    others: others.map((other) => ({ ...other, verified: true })),
  })
  return row && { ...row, username }
}

/**
 * One person, two contacts: they become the older one. Not where both were known by numbers and user ids of their own:
 * then the number has a new owner, and goes to the contact with the user id.
 */
const unite = async (
  ctx: Ctx,
  person: WhatsappPerson,
  byUser: PersonRow,
  byNumber: PersonRow,
  replace: (gone: PersonRow, kept: PersonRow) => void,
): Promise<PersonRow> => {
  const identities = await listIdentities(ctx, [byUser.id, byNumber.id])
  const has = (contact: PersonRow, kind: IdentityKind) =>
    identities.some((one) => one.contactId === contact.id && one.kind === kind)
  if (has(byUser, 'whatsapp_id') && has(byNumber, 'whatsapp_user_id')) {
    await moveIdentities(ctx, byUser.id, numbersOf(person))
    return byUser
  }
  const [kept, gone] = byUser.id < byNumber.id ? [byUser, byNumber] : [byNumber, byUser]
  const merged = await mergeContacts(ctx, kept.id, gone.id)
  Object.assign(kept, merged)
  replace(gone, kept)
  return kept
}

/** Fills in what the contact lacks. A name that people gave is kept; one that only stood in for a name is not. */
const learn = async (ctx: Ctx, contact: PersonRow, person: WhatsappPerson): Promise<void> => {
  const phone = contact.phone ?? person.phone
  const username = person.username ?? contact.username
  const isNameless =
    [contact.email, contact.phone, contact.username, person.userId, person.waId].includes(contact.name) ||
    /^\+?\d+$/.test(contact.name)
  const better = person.name ?? person.username ?? phone
  const name = isNameless && better ? [...better].slice(0, CONTACT_NAME_MAX).join('') : contact.name
  if (phone === contact.phone && username === contact.username && name === contact.name) return
  Object.assign(contact, { phone, username, name })
  await writeLearnt(ctx, contact, person.userId)
}

const writeLearnt = async (ctx: Ctx, contact: PersonRow, userId: string | null): Promise<void> => {
  await setLearnt(ctx, contact.id, {
    ...contact,
    countryIso: countryOf(contact.phone, userId ?? undefined),
    searchText: contactSearchTextOf(contact),
  })
  await indexContactGrams(ctx, contact.id, contact.name)
  await record(ctx, { type: 'contact.updated', contactId: contact.id, data: { contactId: contact.id } })
}
