// Finds or creates the sender of a mail by their address.
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { lockProfile, setProfile } from '../contacts/claim-queries.ts'
import { cutName } from '../contacts/names.ts'
import { confirmIdentity } from '../contacts/queries.ts'
import { type ResolvedContact, resolveContact } from './resolve-contact.ts'

export type Sender = {
  /** In lower case. */
  email: string
  name: string | null
  /** False if the receiving server doubts the sender's address, or it was only entered in a form. */
  isProven: boolean
}

/**
 * The contact that holds the address, its row locked. Mail proves an address, text typed into a chat box does not: if
 * there is only such a claim, the address goes to a contact of its own, and the two remain separate. The name is stored
 * if there was none.
 */
export const resolveSender = (ctx: Ctx, { email, name, isProven }: Sender): Promise<ResolvedContact> =>
  inTransaction(ctx, async (ctx) => {
    const identity = { kind: 'email', value: email, verified: isProven } as const
    const contact = await resolveContact(ctx, { identity, name })
    return name !== null && isProven && contact.name === email ? saveProfileName(ctx, contact, name) : contact
  })

/** Mail from the address passed the receiving server's checks: confirms it as the contact's, if they have it. */
export const confirmSender = (ctx: Ctx, contactId: string, email: string): Promise<void> =>
  confirmIdentity(ctx, contactId, { kind: 'email', value: email })

const saveProfileName = async (
  ctx: Ctx,
  contact: ResolvedContact,
  given: string,
): Promise<ResolvedContact> => {
  const profile = await lockProfile(ctx, contact.id)
  if (!profile) return contact
  const name = cutName(given)
  await setProfile(ctx, contact.id, profile, { name })
  return { ...contact, name }
}
