import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { record } from '../../platform/events/record.ts'
import { moveToContact } from '../attachments/queries.ts'
import { moveMemberships } from '../contact-groups/queries.ts'
import type { PersonRow } from '../contacts/people-queries.ts'
import { moveConversations } from '../conversations/move-conversations.ts'
import { endCodesOf } from '../identity-codes/queries.ts'
import { moveNotes } from '../notes/queries.ts'
import { indexContactBigrams } from '../search/bigrams.ts'
import { contactSearchTextOf } from '../search/search-text.ts'
import { moveBlocks } from '../visitors/block-queries.ts'
import { moveVisitors } from '../visitors/contact-queries.ts'
import { absorbContact, deleteContact, lockForMerge, moveOwn } from './merge-queries.ts'
import { mergeRecipients } from './merge-recipients.ts'
import { followMerges } from './merge-record-queries.ts'

/**
 * Merges two contacts found to be one person: everything of the second moves to the first, and the second is deleted.
 * If both have a value, the first one's stays, unless `take` names it; custom fields and details that only the second has
 * are kept. Of two open conversations on one channel account the second's is closed.
 */
export const mergeContacts = (
  ctx: Ctx,
  keptId: string,
  goneId: string,
  take: ReadonlySet<string> = new Set(),
): Promise<PersonRow> =>
  inTransaction(ctx, async (ctx) => {
    const found = await lockForMerge(ctx, keptId, goneId)
    if (!found) throw new Error('one of the contacts to merge is not there')
    const { kept, gone } = found
    await followMerges(ctx, goneId, keptId)
    await moveConversations(ctx, goneId, keptId)
    await endCodesOf(ctx, { from: goneId, to: keptId })
    await moveNotes(ctx, goneId, keptId)
    await moveMemberships(ctx, goneId, keptId)
    await moveVisitors(ctx, goneId, keptId)
    await moveBlocks(ctx, goneId, keptId)
    await moveToContact(ctx, goneId, keptId)
    await moveOwn(ctx, goneId, keptId)
    const isNameless =
      [kept.email, kept.phone, kept.username].includes(kept.name) || /^\+?\d+$|^[A-Z]{2}\./.test(kept.name)
    const pick = (part: 'email' | 'phone' | 'username') =>
      take.has(part) ? (gone[part] ?? kept[part]) : (kept[part] ?? gone[part])
    const merged: PersonRow = {
      id: keptId,
      name: isNameless || take.has('name') ? gone.name : kept.name,
      email: pick('email'),
      phone: pick('phone'),
      username: pick('username'),
    }
    await absorbContact(ctx, goneId, { ...merged, searchText: contactSearchTextOf(merged) }, take)
    await deleteContact(ctx, goneId)
    await mergeRecipients(ctx, goneId, keptId)
    await indexContactBigrams(ctx, keptId, merged.name, merged.email)
    await record(ctx, {
      type: 'contact.merged',
      contactId: keptId,
      data: { contactId: keptId, mergedContactId: goneId },
    })
    return merged
  })
