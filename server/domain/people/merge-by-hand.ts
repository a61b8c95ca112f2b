// Merging two contacts that somebody of the team takes for one person, in a way that can be undone.
import { recordedActor } from '../../platform/ctx/actor.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError, invalid } from '../../platform/errors.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { requireContact } from '../contacts/profile-queries.ts'
import { mergeContacts } from './merge-contacts.ts'
import { lockVisible } from './merge-queries.ts'
import {
  completeMerge,
  insertMerge,
  listMerges,
  type MergeRow,
  UNDO_WITHIN_MS,
} from './merge-record-queries.ts'
import type { Merge, MergeBody } from './merge-schema.ts'

/**
 * Merges the second contact into the first, whose values stay unless `take` names them. What was only claimed of either
 * stays a claim. Throws CONTACT_NOT_FOUND for one that the actor doesn't see, CONTACT_BEING_DELETED, and VALIDATION_ERROR
 * if both are the same.
 */
export const mergeByHand = (
  ctx: Ctx,
  keptId: string,
  { contactId: goneId, take = [] }: MergeBody,
): Promise<{ merge: Merge }> =>
  inTransaction(ctx, async (ctx) => {
    const found = await lockVisible(ctx, [keptId, goneId])
    if (found.length < new Set([keptId, goneId]).size) throw new ApiError('CONTACT_NOT_FOUND')
    if (keptId === goneId) throw invalid({ field: 'contactId', message: 'must be another contact' })
    if (found.some(({ isErased }) => isErased)) throw new ApiError('CONTACT_BEING_DELETED')
    const id = ctx.newId()
    await insertMerge(ctx, { id, keptId, goneId, actor: recordedActor(ctx.actor), createdAt: ctx.now() })
    const { name } = await mergeContacts(ctx, keptId, goneId, new Set(take))
    await completeMerge(ctx, id, ctx.now())
    await recordAudit(ctx, {
      action: 'contact.merged',
      target: { type: 'contact', id: keptId, name },
      changes: { mergedContactId: { to: goneId } },
    })
    const [merge] = await listMerges(ctx, { contactId: keptId, id })
    return { merge: asShown(merge!) }
  })

const asShown = ({ mergedAt, ...merge }: MergeRow): Merge => ({
  ...merge,
  mergedAt,
  undoableUntil: new Date(Date.parse(mergedAt) + UNDO_WITHIN_MS).toISOString(),
})

/** Merges into a contact that can be undone, newest first. Throws CONTACT_NOT_FOUND. */
export const listUndoable = async (ctx: Ctx, contactId: string): Promise<{ merges: Merge[] }> => {
  await requireContact(ctx, contactId)
  return { merges: (await listMerges(ctx, { contactId })).map(asShown) }
}
