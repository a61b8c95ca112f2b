// A visitor whom the site has signed in becomes the contact that the site means; see
// docs/decisions/0082-signed-identities.md.
import { claimProfile } from '../../domain/contacts/claim-profile.ts'
import { insertIdentities, listIdentities } from '../../domain/contacts/people-queries.ts'
import { visitorPlaceholder } from '../../domain/contacts/placeholder-name.ts'
import { confirmIdentity } from '../../domain/contacts/queries.ts'
import { readKeys } from '../../domain/people/contact-keys.ts'
import { listExternalIds, lockHolders } from '../../domain/people/holder-queries.ts'
import { mergeContacts } from '../../domain/people/merge-contacts.ts'
import { upsertContact } from '../../domain/people/upsert-contact.ts'
import { isContactBlocked } from '../../domain/visitors/block-queries.ts'
import { setVisitorContact, type Visitor } from '../../domain/visitors/queries.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError } from '../../platform/errors.ts'
import { record } from '../../platform/events/record.ts'

/**
 * Joins the visitor with the contact that has the site's id, or the address that the site vouches for; one that nobody
 * has is created if asked for. What the visitor wrote in this browser before joins too, unless their contact is known by
 * anything else: then it is somebody else's (`other`). Null if there is no such contact yet. Throws VISITOR_BLOCKED.
 */
export const joinPerson = (
  ctx: Ctx,
  visitor: Visitor,
  { creates }: { creates: boolean },
): Promise<string | null | 'other'> =>
  inTransaction(ctx, async (ctx) => {
    const own = visitor.contactId
    const isOwnFree =
      own === null || (await listIdentities(ctx, [own])).every(({ kind }) => kind === 'visitor')
    const found = await findPerson(ctx, visitor)
    if (own !== null && found !== own && !isOwnFree) return 'other'
    const contactId = found ?? own ?? (creates ? await createPerson(ctx, visitor) : null)
    if (contactId === null) return null
    if (await isContactBlocked(ctx, contactId)) throw new ApiError('VISITOR_BLOCKED')
    if (found !== null && own !== null && own !== found) await mergeContacts(ctx, found, own)
    if (own === null) {
      await insertIdentities(ctx, [{ kind: 'visitor', value: visitor.id, contactId }])
      await setVisitorContact(ctx, visitor.id, contactId)
    }
    await addKeys(ctx, contactId, visitor)
    const placeholder = visitorPlaceholder(visitor.id)
    await claimProfile(ctx, { contactId, name: visitor.name, email: visitor.email, placeholder })
    return contactId
  })

/** Two contacts that the site shows to be one are merged, unless it knows the second by another id. */
const findPerson = async (ctx: Ctx, { signedId, signedEmail }: Visitor): Promise<string | null> => {
  const keys = await readKeys(ctx, keysOf(signedId!, signedEmail), (name) => name)
  const holders = (await lockHolders(ctx, keys)).filter(({ verified }) => verified)
  const byId = holders.find(({ kind }) => kind === 'external')?.contactId ?? null
  const byEmail = holders.find(({ kind }) => kind === 'email')?.contactId ?? null
  if (byEmail === null || byEmail === byId) return byId
  if ((await listExternalIds(ctx, byEmail)).length > 0) return byId
  if (byId !== null) await mergeContacts(ctx, byId, byEmail)
  return byId ?? byEmail
}

const keysOf = (externalId: string, email: string | null) => ({
  externalId,
  ...(email !== null && { email }),
})

const createPerson = async (ctx: Ctx, { signedId, name }: Visitor): Promise<string> => {
  const { contact } = await upsertContact(ctx, {
    match: { externalId: signedId! },
    set: { ...(name !== null && { name }) },
  })
  return contact.id
}

/** What the site vouches for identifies the contact from now on; what somebody else has stays theirs. */
const addKeys = async (ctx: Ctx, contactId: string, { signedId, signedEmail }: Visitor): Promise<void> => {
  const held = await listIdentities(ctx, [contactId])
  const has = (kind: string, value: string) => held.some((one) => one.kind === kind && one.value === value)
  const email = { kind: 'email' as const, value: signedEmail ?? '' }
  const missing = [
    ...(has('external', signedId!) ? [] : [{ kind: 'external' as const, value: signedId!, contactId }]),
    ...(signedEmail === null || has('email', signedEmail) ? [] : [{ ...email, contactId, confirmed: true }]),
  ]
  if (missing.length > 0) {
    await insertIdentities(ctx, missing)
    await record(ctx, { type: 'contact.updated', contactId, data: { contactId, changed: ['identities'] } })
  }
  if (signedEmail !== null && has('email', signedEmail)) await confirmIdentity(ctx, contactId, email)
}
