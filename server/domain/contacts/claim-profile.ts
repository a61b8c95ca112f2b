import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { lockProfile, setProfile } from './claim-queries.ts'

type ProfileClaim = {
  contactId: string
  name: string | null
  /** In lower case. */
  email: string | null
  /** E.164. */
  phone?: string | null
  /** The contact's name while the real one is unknown. */
  placeholder: string
}

/**
 * Stores the name, email and phone number that a customer claims, if the contact has none. A claim overwrites nothing,
 * merges nothing and identifies nobody: the email is shown as unverified, and neither is an identity.
 */
export const claimProfile = (ctx: Ctx, { contactId, ...claim }: ProfileClaim): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const known = await lockProfile(ctx, contactId)
    if (!known) return
    const email = known.email ?? claim.email
    const phone = known.phone ?? claim.phone ?? null
    const isNameless = [claim.placeholder, known.email, known.phone].includes(known.name)
    const name = isNameless ? (claim.name ?? known.phone ?? email ?? known.name) : known.name
    if (name === known.name && email === known.email && phone === known.phone) return
    await setProfile(ctx, contactId, known, { name, email, phone })
  })
