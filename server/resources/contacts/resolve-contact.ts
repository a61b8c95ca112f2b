// Who writes, or is written to: the one contact that holds an identity.
import { type Ctx, inTransaction } from '../../ctx.ts'
import type { IdentityKind } from '../../db/tables.ts'
import { countryOf, toE164 } from './phone.ts'
import { insertContact, lockContactByIdentity } from './queries.ts'
import { CONTACT_NAME_MAX } from './schema.ts'
import { contactSearchTextOf } from './search-text.ts'

export type Identity = { kind: IdentityKind; value: string; verified: boolean }

export type ResolveContactInput = {
  /** What the contact is known by. An email is compared in lower case, a phone in E.164. */
  identity: Identity
  /** Falls back to the email, then the phone, then the identity's value. The first 120 code points are kept. */
  name: string | null
  /** These four apply only when the contact is created. */
  email?: string | null
  phone?: string | null
  username?: string | null
}

export type ResolvedContact = {
  id: string
  name: string
  email: string | null
  phone: string | null
  /** Whether this call made it. */
  created: boolean
}

/** Only a contact that vanishes between two looks needs more than two. */
const ATTEMPTS_MAX = 4

const PHONE_KINDS: readonly IdentityKind[] = ['phone', 'whatsapp_id', 'sms']

const firstCodePoints = (text: string, count: number): string => {
  const points = Array.from(text)
  return points.length > count ? points.slice(0, count).join('') : text
}

const normalized = (identity: Identity): Identity => ({
  ...identity,
  value:
    identity.kind === 'email'
      ? identity.value.trim().toLowerCase()
      : identity.kind === 'phone'
        ? (toE164(identity.value) ?? identity.value)
        : identity.value,
})

/**
 * The contact that holds the identity, its row locked until the transaction ends (for no key update), else a new one
 * that holds it. Any number of calls at the same moment make one contact: the primary key of identities decides.
 *
 * A new contact also gets identities for its email and phone, unless somebody has them: a claim finds, it never takes
 * over. They count as verified only where the channel proves them (an email by mail; a phone by WhatsApp or SMS).
 */
export const resolveContact = (ctx: Ctx, input: ResolveContactInput): Promise<ResolvedContact> =>
  inTransaction(ctx, async (ctx) => {
    const identity = normalized(input.identity)
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      const found = await lockContactByIdentity(ctx, identity)
      if (found) return { ...found, created: false }
      const created = await createContact(ctx, identity, input)
      if (created) return { ...created, created: true }
    }
    throw new Error(`the contact of a ${identity.kind} identity came and went ${ATTEMPTS_MAX} times`)
  })

const createContact = (ctx: Ctx, identity: Identity, input: ResolveContactInput) => {
  const { kind, value, verified } = identity
  const email = kind === 'email' ? value : input.email?.trim().toLowerCase() || null
  const phone = toE164(input.phone ?? (PHONE_KINDS.includes(kind) ? value : ''))
  const username = input.username?.trim() || null
  const name = firstCodePoints(
    input.name?.replaceAll('\0', '').toWellFormed().trim() || email || phone || username || value,
    CONTACT_NAME_MAX,
  )
  const others: Identity[] = []
  if (email && kind !== 'email') others.push({ kind: 'email', value: email, verified: false })
  if (phone && kind !== 'phone')
    others.push({ kind: 'phone', value: phone, verified: verified && PHONE_KINDS.includes(kind) })
  return insertContact(ctx, {
    id: ctx.newId(),
    name,
    email,
    phone,
    username,
    countryIso: countryOf(phone, kind === 'whatsapp_user_id' ? value : undefined),
    searchText: contactSearchTextOf({ name, email, phone, username }),
    identity,
    others,
  })
}
