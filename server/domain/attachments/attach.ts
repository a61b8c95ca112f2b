// Attachments and the messages and notes that they belong to.

import { actorId } from '../../platform/ctx/actor.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { invalid } from '../../platform/errors.ts'
import { addJob } from '../../platform/queue/add-job.ts'
import type { AttachmentRow } from './queries.ts'
import { bindTo, type KeyedUpload, listUploads } from './upload-queries.ts'

const HOUR_MS = 3_600_000
/** An upload that no message uses is deleted after this time, with its file. */
export const UNBOUND_KEPT_MS = 24 * HOUR_MS
/** Cannot be attached in the last hour before that, so the sweep never deletes one that is being attached. */
const TAKEN_WITHIN_MS = UNBOUND_KEPT_MS - HOUR_MS

/** Longer than any transaction takes. */
const CHECKED_BEFORE_MS = 60_000

const takenSince = ({ now }: Ctx): Date => new Date(now().getTime() - TAKEN_WITHIN_MS)

/** For a check before the message is stored: what was created since then can still be attached at the end of it. */
export const attachableSince = (ctx: Ctx): Date => new Date(takenSince(ctx).getTime() + CHECKED_BEFORE_MS)

/**
 * Queues downloads of stored attachments that are still pending, after the commit. Call in the transaction that stores
 * them.
 */
export const queueFetches = async (
  ctx: Ctx,
  rows: readonly Pick<AttachmentRow, 'id' | 'state'>[],
): Promise<void> => {
  const pending = rows.filter(({ state }) => state === 'pending')
  await addJob(
    ctx,
    'fetch_media',
    pending.map(({ id }) => ({ workspaceId: ctx.workspaceId, attachmentId: id })),
  )
}

/** Attaches contents kept by storeAttachment to the inbound message that they came with. */
export const bindStored = async (ctx: Ctx, messageId: string, ids: readonly string[]): Promise<void> => {
  if (ids.length === 0) return
  const bound = await bindTo(ctx, { to: { messageId }, ids, uploadedBy: null, since: takenSince(ctx) })
  if (bound !== new Set(ids).size) throw new Error(`message ${messageId}: an attachment is not there`)
}

const unknownUpload = (field = 'attachmentIds') =>
  invalid({
    field,
    message:
      'must be files that you uploaded in the last 24 hours and that are not attached to a message or note yet',
  })

/** Those of the ids that are uploads of the actor, and not attached yet. */
export const listOwnUploads = (ctx: Ctx, ids: readonly string[]): Promise<KeyedUpload[]> =>
  listUploads(ctx, { ids, uploadedBy: actorId(ctx.actor), since: takenSince(ctx) })

/** The uploads to attach to a message, or to read. Throws VALIDATION_ERROR, of `field`, for one that the actor may not use. */
export const findOwnUploads = async (
  ctx: Ctx,
  ids: readonly string[],
  field?: string,
): Promise<KeyedUpload[]> => {
  const uploads = await listOwnUploads(ctx, ids)
  if (uploads.length !== new Set(ids).size) throw unknownUpload(field)
  return uploads
}

/**
 * Attaches the actor's own uploads to a message, in its transaction. Throws VALIDATION_ERROR if one was attached
 * meanwhile.
 */
export const bindUploads = (ctx: Ctx, messageId: string, ids: readonly string[]): Promise<void> =>
  bindOwn(ctx, { messageId }, ids)

/** The same with a note. */
export const bindToNote = (ctx: Ctx, noteId: string, ids: readonly string[]): Promise<void> =>
  bindOwn(ctx, { noteId }, ids)

const bindOwn = async (
  ctx: Ctx,
  to: Parameters<typeof bindTo>[1]['to'],
  ids: readonly string[],
): Promise<void> => {
  const bound = await bindTo(ctx, { to, ids, uploadedBy: actorId(ctx.actor), since: takenSince(ctx) })
  if (bound !== new Set(ids).size) throw unknownUpload()
}
