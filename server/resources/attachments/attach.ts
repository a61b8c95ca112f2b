// Attachments and the messages that they belong to.
import { actorId, type Ctx } from '../../ctx.ts'
import { invalid } from '../../errors.ts'
import { addJobs } from '../../jobs/add-job.ts'
import {
  type AttachmentRow,
  attachmentsInsert,
  bindToMessage,
  listUploads,
  type UploadRow,
} from './queries.ts'

const HOUR_MS = 3_600_000
/** An upload that no message has taken is swept after so long, with its file. */
export const UNBOUND_KEPT_MS = 24 * HOUR_MS
/** Not taken any more in the last hour before, so that the sweep never meets one that is just being taken. */
const TAKEN_WITHIN_MS = UNBOUND_KEPT_MS - HOUR_MS

const takenSince = ({ now }: Ctx): Date => new Date(now().getTime() - TAKEN_WITHIN_MS)

/** Has what is pending of stored attachments fetched after the commit. In the transaction that stores them. */
export const queueFetches = async (
  ctx: Ctx,
  rows: readonly Pick<AttachmentRow, 'id' | 'state'>[],
): Promise<void> => {
  const pending = rows.filter(({ state }) => state === 'pending')
  await addJobs(
    ctx,
    'fetch_media',
    pending.map(({ id }) => ({ workspaceId: ctx.workspaceId, attachmentId: id })),
  )
}

/** Stores attachments of a message that is stored, and has fetched what is pending. In the caller's transaction. */
export const addAttachments = async (ctx: Ctx, rows: readonly AttachmentRow[]): Promise<void> => {
  if (rows.length === 0) return
  await attachmentsInsert(ctx, rows, ctx.now()).execute(ctx.db)
  await queueFetches(ctx, rows)
}

/** Gives contents that storeAttachment kept to the inbound message that came with them. */
export const bindStored = async (ctx: Ctx, messageId: string, ids: readonly string[]): Promise<void> => {
  if (ids.length === 0) return
  const bound = await bindToMessage(ctx, { messageId, ids, uploadedBy: null, since: takenSince(ctx) })
  if (bound !== new Set(ids).size) throw new Error(`message ${messageId}: an attachment is not there`)
}

const unknownUpload = () =>
  invalid({
    field: 'attachmentIds',
    message: 'must name files that you uploaded today and that no message has yet',
  })

/** The uploads that a message is about to take. Throws VALIDATION_ERROR where one is not the actor's to give. */
export const findOwnUploads = async (ctx: Ctx, ids: readonly string[]): Promise<UploadRow[]> => {
  const uploads = await listUploads(ctx, { ids, uploadedBy: actorId(ctx.actor), since: takenSince(ctx) })
  if (uploads.length !== new Set(ids).size) throw unknownUpload()
  return uploads
}

/** Gives the actor's own uploads to a message, in its transaction. Throws VALIDATION_ERROR where another took one. */
export const bindUploads = async (ctx: Ctx, messageId: string, ids: readonly string[]): Promise<void> => {
  const uploadedBy = actorId(ctx.actor)
  const bound = await bindToMessage(ctx, { messageId, ids, uploadedBy, since: takenSince(ctx) })
  if (bound !== new Set(ids).size) throw unknownUpload()
}
