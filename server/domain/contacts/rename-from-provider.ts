import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { record } from '../../platform/events/record.ts'
import { indexContactBigrams } from '../search/bigrams.ts'
import { contactSearchTextOf } from '../search/search-text.ts'
import { lockProfile, setProfile } from './claim-queries.ts'
import { CONTACT_NAME_MAX } from './schema.ts'

/**
 * Someone changed their name at their provider. The contact's name is updated if it came from there; a name given by
 * the team stays.
 */
export const renameFromProvider = (
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
    await indexContactBigrams(ctx, contactId, name)
    await record(ctx, { type: 'contact.updated', contactId, data: { contactId } })
  })
