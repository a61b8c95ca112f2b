import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { lockProfile, setProfile } from './claim-queries.ts'
import { cutName } from './names.ts'

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
    const name = cutName(to)
    if (!known || known.name !== cutName(from) || known.name === name) return
    await setProfile(ctx, contactId, known, { name })
  })
