// Finds or creates the one contact that holds an identity.
import { PHONE_KINDS } from '../../../channels/definitions.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import type { IdentityKind } from '../../platform/db/tables.ts'
import { cutName } from '../contacts/names.ts'
import { deleteIdentities, insertPeople } from '../contacts/people-queries.ts'
import { countryOf, toE164 } from '../contacts/phone.ts'
import { lockIdentity } from '../contacts/queries.ts'
import { contactSearchTextOf } from '../search/search-text.ts'

type Identity = {
  kind: IdentityKind
  value: string
  verified: boolean
  /**
   * For a new contact: whether mail from the address passed its checks, or the workspace gave it. Defaults to false.
   */
  confirmed?: boolean
}

export type ResolveContactInput = {
  /** The contact's identity. An email is compared in lower case, a phone in E.164. */
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
  /** Whether this call created it. */
  created: boolean
}

/** More than two are only needed if a contact disappears between two reads. */
const ATTEMPTS_MAX = 4

const isPhoneKind = (kind: IdentityKind): boolean => PHONE_KINDS.some((phone) => phone.kind === kind)

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
 * that holds it. Concurrent calls create only one contact: the primary key of identities decides.
 *
 * A new contact also gets an identity for its phone if the channel proves it (WhatsApp, SMS) and nobody holds it. Mere
 * claims (an email typed into a chat box) are shown but are no identity and find nobody. If the given identity is
 * verified but its holder never proved it, it moves to a contact of its own.
 */
export const resolveContact = (ctx: Ctx, input: ResolveContactInput): Promise<ResolvedContact> =>
  inTransaction(ctx, async (ctx) => {
    const identity = normalized(input.identity)
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      const found = await lockIdentity(ctx, identity)
      if (found && (found.verified || !identity.verified)) {
        const { verified: _, ...contact } = found
        return { ...contact, created: false }
      }
      if (found) await deleteIdentities(ctx, found.id, [identity])
      const created = await createContact(ctx, identity, input)
      if (created) return { ...created, created: true }
    }
    throw new Error(`the contact of a ${identity.kind} identity came and went ${ATTEMPTS_MAX} times`)
  })

/** Undefined if another contact got the identity meanwhile. */
const createContact = async (
  ctx: Ctx,
  identity: Identity,
  input: ResolveContactInput,
): Promise<Omit<ResolvedContact, 'created'> | undefined> => {
  const { kind, value, verified } = identity
  const email = kind === 'email' ? value : input.email?.trim().toLowerCase() || null
  const phone = toE164(input.phone ?? (isPhoneKind(kind) ? value : ''))
  const username = input.username?.trim() || null
  const name = cutName(
    input.name?.replaceAll('\0', '').toWellFormed().trim() || email || phone || username || value,
  )
  const id = ctx.newId()
  const isPhoneProven = phone && kind !== 'phone' && verified && isPhoneKind(kind)
  const count = await insertPeople(ctx, [
    {
      ...{ id, name, email, phone, username },
      countryIso: countryOf(phone, kind === 'whatsapp_user_id' ? value : undefined),
      searchText: contactSearchTextOf({ name, email, phone, username }),
      identities: [identity, ...(isPhoneProven ? [{ kind: 'phone' as const, value: phone }] : [])],
    },
  ])
  return count === 1 ? { id, name, email, phone } : undefined
}
