import { type Ctx, inTransaction } from '../../ctx.ts'
import { record } from '../../events/record.ts'
import { indexContactGrams } from '../conversations/grams.ts'
import { lockProfile, setProfile } from './claim-queries.ts'
import { CONTACT_NAME_MAX } from './schema.ts'
import { contactSearchTextOf } from './search-text.ts'

/**
 * Somebody goes by another name at their provider. The contact follows as long as it bears the name that came from
 * there; one that people here gave it stays.
 */
export const followName = (
  ctx: Ctx,
  { contactId, from, to }: { contactId: string; from: string; to: string },
): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const known = await lockProfile(ctx, contactId)
    const cut = (name: string) => [...name].slice(0, CONTACT_NAME_MAX).join('')
    const name = cut(to)
    if (!known || known.name !== cut(from) || known.name === name) return
    await setProfile(ctx, contactId, {
      name,
      email: known.email,
      searchText: contactSearchTextOf({ ...known, name }),
    })
    await indexContactGrams(ctx, contactId, name)
    await record(ctx, { type: 'contact.updated', contactId, data: { contactId } })
  })
