import { recordedActor } from '../../platform/ctx/actor.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { requireAllChannels } from '../../platform/ctx/scopes.ts'
import type { ErasureMode } from '../../platform/db/tables.ts'
import { ApiError } from '../../platform/errors.ts'
import { addJob } from '../../platform/queue/add-job.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { contactSearchTextOf } from '../search/search-text.ts'
import { detachPerson, lockPerson } from './contact-queries.ts'
import { hashOf } from './erased-identities.ts'
import { valuesOf } from './person-pattern.ts'
import { findErasure, findRunningErasure, insertErasedIdentities, insertErasure } from './queries.ts'
import type { ErasureAnswer } from './schema.ts'

/** An erased contact's name, for as long as it is there. */
const NAME = 'Deleted contact'

/**
 * Erases or anonymises a contact. Who they were is gone when this returns: nothing finds them, and they can't be written to. A job
 * removes the rest. While it runs, another call returns the same erasure. Throws CONTACT_NOT_FOUND, and INSUFFICIENT_SCOPE for a
 * token that is limited to channels.
 */
export const requestErasure = (
  ctx: Ctx,
  { contactId, mode }: { contactId: string; mode: ErasureMode },
): Promise<ErasureAnswer> =>
  inTransaction(ctx, async (ctx) => {
    requireAllChannels(ctx.actor)
    const person = await lockPerson(ctx, contactId)
    if (!person) throw new ApiError('CONTACT_NOT_FOUND')
    const running = await findRunningErasure(ctx, contactId)
    if (running) return { erasure: running }
    const id = ctx.newId()
    const values = valuesOf(person)
    await insertErasedIdentities(
      ctx,
      person.identities.map((one) => hashOf(ctx, one)),
    )
    await detachPerson(ctx, contactId, {
      name: NAME,
      searchText: contactSearchTextOf({ name: NAME, email: null, phone: null, username: null }),
      values,
    })
    const erasure = await insertErasure(ctx, {
      id,
      contactId,
      mode,
      clues: ctx.seal.seal(JSON.stringify(values), { workspaceId: ctx.workspaceId, id }),
      actor: recordedActor(ctx.actor),
      createdAt: ctx.createdAt(id),
    })
    await addJob(ctx, 'erase_contact', { workspaceId: ctx.workspaceId, erasureId: id })
    await recordAudit(ctx, {
      action: mode === 'erase' ? 'contact.erased' : 'contact.anonymised',
      target: { type: 'contact', id: contactId },
    })
    return { erasure }
  })

/** Throws ERASURE_NOT_FOUND. */
export const getErasure = async (ctx: Ctx, id: string): Promise<ErasureAnswer> => {
  requireAllChannels(ctx.actor)
  const erasure = await findErasure(ctx, id)
  if (!erasure) throw new ApiError('ERASURE_NOT_FOUND')
  return { erasure }
}
