import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError } from '../../platform/errors.ts'
import { record } from '../../platform/events/record.ts'
import { moveToContact } from '../attachments/queries.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { returnMemberships } from '../contact-groups/queries.ts'
import { changedParts } from '../contacts/claim-queries.ts'
import { returnConversations } from '../conversations/return-conversations.ts'
import { endCodesOf } from '../identity-codes/queries.ts'
import { returnNotes } from '../notes/queries.ts'
import { returnRecipients } from '../recipients/recipient-queries.ts'
import { indexContactBigrams } from '../search/bigrams.ts'
import { contactSearchTextOf } from '../search/search-text.ts'
import { returnBlocks } from '../visitors/block-queries.ts'
import { moveVisitors } from '../visitors/contact-queries.ts'
import { lockVisible } from './merge-queries.ts'
import { UNDO_WITHIN_MS } from './merge-record-queries.ts'
import {
  findCounted,
  lockMerge,
  recountBoth,
  restoreContact,
  returnOwn,
  returnRuns,
  revertContact,
  type Undoable,
} from './undo-queries.ts'

/**
 * Makes two contacts again of one that was merged by hand, for 30 days. The one that was gone has its id, its details and
 * everything that moved with it, with what was added there since; what came since through an identity of its own goes
 * with it. The other gets its details back where nobody changed them since. Throws CONTACT_NOT_FOUND and MERGE_NOT_FOUND.
 */
export const undoMerge = (
  ctx: Ctx,
  { contactId, mergeId }: { contactId: string; mergeId: string },
): Promise<{ contactId: string }> =>
  inTransaction(ctx, async (ctx) => {
    if ((await lockVisible(ctx, [contactId])).length === 0) throw new ApiError('CONTACT_NOT_FOUND')
    const after = new Date(ctx.now().getTime() - UNDO_WITHIN_MS)
    const undoable = await lockMerge(ctx, { id: mergeId, contactId, after })
    if (!undoable) throw new ApiError('MERGE_NOT_FOUND')
    const { goneId, next } = undoable
    const was = await findCounted(ctx, contactId)
    const restored = await restoreContact(ctx, mergeId)
    await returnAll(ctx, contactId, undoable)
    await revertContact(ctx, mergeId, { ...next, searchText: contactSearchTextOf(next) })
    await recountBoth(ctx, [contactId, goneId], was)
    await indexContactBigrams(ctx, goneId, restored.name, restored.email)
    await indexContactBigrams(ctx, contactId, next.name, next.email)
    await announce(ctx, contactId, undoable)
    await recordAudit(ctx, {
      action: 'contact.unmerged',
      target: { type: 'contact', id: contactId, name: next.name },
      changes: { mergedContactId: { from: goneId } },
    })
    return { contactId: goneId }
  })

const returnAll = async (ctx: Ctx, from: string, { goneId: to, moved, mergedAt }: Undoable) => {
  await returnOwn(ctx, { from, to, moved })
  await returnConversations(ctx, {
    ...{ from, to, ids: moved.conversationIds, closedIds: moved.closedIds },
    mergedAt: new Date(mergedAt),
  })
  await endCodesOf(ctx, { from, to: from })
  await returnNotes(ctx, { from, to, ids: moved.noteIds })
  await returnRuns(ctx, { from, to })
  await moveVisitors(ctx, from, to, moved.visitorIds)
  await moveToContact(ctx, from, to, moved.fileIds)
  await returnMemberships(ctx, { from, to, memberships: moved.memberships })
  await returnBlocks(ctx, { from, to, blocks: moved.blocks })
  await returnRecipients(ctx, { from, to, broadcastIds: moved.broadcastIds })
}

/** Programs know of the second contact that it is no more. */
const announce = (ctx: Ctx, contactId: string, { goneId, moved, now, next }: Undoable): Promise<void> =>
  record(ctx, [
    {
      type: 'contact.created',
      contactId: goneId,
      data: { contactId: goneId, identityKinds: moved.identities.map(({ kind }) => kind) },
    },
    {
      type: 'contact.updated',
      contactId,
      data: { contactId, changed: [...changedParts(now, next), 'identities'] },
    },
  ])
