// Who wrote a mail: the contact that the address belongs to.
import { type Ctx, inTransaction } from '../../ctx.ts'
import { record } from '../../events/record.ts'
import { indexContactGrams } from '../conversations/grams.ts'
import { lockProfile, setProfile } from './claim-queries.ts'
import { deleteIdentities } from './people-queries.ts'
import { lockIdentity } from './queries.ts'
import { type ResolvedContact, resolveContact } from './resolve-contact.ts'
import { CONTACT_NAME_MAX } from './schema.ts'
import { contactSearchTextOf } from './search-text.ts'

export type Sender = {
  /** In lower case. */
  email: string
  name: string | null
  /** False where the receiving server doubts that the address is the writer's, or only a form says so. */
  isProven: boolean
}

/**
 * The contact that holds the address, its row locked. Mail proves an address; what somebody typed into a chat box does
 * not: where such a claim is all there is, the address goes to a contact of its own, and the two stay two people. A name
 * is learnt where there was none.
 */
export const resolveSender = (ctx: Ctx, { email, name, isProven }: Sender): Promise<ResolvedContact> =>
  inTransaction(ctx, async (ctx) => {
    const identity = { kind: 'email', value: email, verified: isProven } as const
    const known = await lockIdentity(ctx, identity)
    const isClaim = known && !known.verified && isProven
    if (isClaim) await deleteIdentities(ctx, known.id, [identity])
    const contact =
      known && !isClaim ? { ...known, created: false } : await resolveContact(ctx, { identity, name })
    return name !== null && isProven && contact.name === email ? learnName(ctx, contact, name) : contact
  })

const learnName = async (ctx: Ctx, contact: ResolvedContact, given: string): Promise<ResolvedContact> => {
  const { id } = contact
  const profile = await lockProfile(ctx, id)
  if (!profile) return contact
  const name = [...given].slice(0, CONTACT_NAME_MAX).join('')
  const searchText = contactSearchTextOf({ ...profile, name })
  await setProfile(ctx, id, { name, email: profile.email, searchText })
  await indexContactGrams(ctx, id, name)
  await record(ctx, { type: 'contact.updated', contactId: id, data: { contactId: id } })
  return { ...contact, name }
}
