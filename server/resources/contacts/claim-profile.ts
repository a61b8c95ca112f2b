import { type Ctx, inTransaction } from '../../ctx.ts'
import { record } from '../../events/record.ts'
import { indexContactGrams } from '../conversations/grams.ts'
import { insertClaimedEmail, lockProfile, setProfile } from './claim-queries.ts'
import { contactSearchTextOf } from './search-text.ts'

export type ProfileClaim = {
  contactId: string
  name: string | null
  /** In lower case. */
  email: string | null
  /** What the contact is called as long as nobody knows a name. */
  placeholder: string
}

/**
 * Takes a visitor's word for their name and email where the contact has none. A claim replaces nothing that is known,
 * merges nothing, and leaves the address's identity with whoever has it.
 */
export const claimProfile = (ctx: Ctx, { contactId, ...claim }: ProfileClaim): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const known = await lockProfile(ctx, contactId)
    if (!known) return
    const email = known.email ?? claim.email
    const isNameless = [claim.placeholder, known.email, known.phone].includes(known.name)
    const name = isNameless ? (claim.name ?? known.phone ?? email ?? known.name) : known.name
    if (name === known.name && email === known.email) return
    await setProfile(ctx, contactId, {
      name,
      email,
      searchText: contactSearchTextOf({ ...known, name, email }),
    })
    if (email !== null && known.email === null) await insertClaimedEmail(ctx, contactId, email)
    await indexContactGrams(ctx, contactId, name, email)
    await record(ctx, { type: 'contact.updated', contactId, data: { contactId } })
  })
