// Stores content we already have: from an inbound email, or uploaded. The row is written before the file,
// so that after a crash the sweep finds both by the row.
import { createHash } from 'node:crypto'
import { type Readable, Transform } from 'node:stream'
import { actorId } from '../../platform/ctx/actor.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { ApiError } from '../../platform/errors.ts'
import { cleanFileName, cleanMimeType, kindOf, withEnding } from '../../platform/files/file-name.ts'
import { fileUrl } from '../../platform/files/links.ts'
import { fileKey } from '../../platform/files/store.ts'
import type { FileType } from './queries.ts'
import type { Attachment } from './schema.ts'
import {
  completeCountedUpload,
  completeUpload,
  deleteUpload,
  hasUploadRoom,
  insertUpload,
} from './upload-queries.ts'

const MIB = 1024 * 1024
/** For a file that a person or a program uploads. */
export const UPLOAD_BYTES_MAX = 25 * MIB

type Given = {
  /** If the caller has to know it before. */
  id?: string
  name: string
  mimeType: string | null
  content: Buffer | Readable
  /** Needed if the MIME type does not show it, as for a sticker. */
  type?: FileType
}

/** How the row learns that its file is there: false if it may not be kept, and what to throw then. */
export type Completion = {
  complete: (ctx: Ctx, id: string, size: number) => Promise<boolean>
  refusal: () => Error
}

const INBOUND: Completion = {
  complete: completeUpload,
  refusal: () => new Error('an upload was swept before it was complete'),
}
const COUNTED: Completion = {
  complete: completeCountedUpload,
  refusal: () => new ApiError('UPLOAD_QUOTA_EXCEEDED'),
}

/**
 * Keeps content for an inbound message. Call before the transaction that stores the message and takes the id in
 * `attachmentIds`; if no message takes it, it is swept after a day.
 */
export const storeAttachment = (ctx: Ctx, given: Given, completion = INBOUND): Promise<Attachment> => {
  if (ctx.afterCommit) throw new Error('a file is stored before the transaction, not in it')
  return store(ctx, given, { uploadedBy: null, ...completion })
}

/**
 * Keeps an uploaded file for a message by the same actor: see attachmentIds in send-message.ts. Swept after a day if no
 * message uses it. Throws PAYLOAD_TOO_LARGE beyond UPLOAD_BYTES_MAX, and UPLOAD_QUOTA_EXCEEDED if the workspace has
 * used up its upload quota.
 */
export const storeUpload = (
  ctx: Ctx,
  { name, mimeType, stream }: { name: string; mimeType: string | null; stream: Readable },
): Promise<Attachment> =>
  store(
    ctx,
    { name, mimeType, content: bounded(stream, UPLOAD_BYTES_MAX) },
    { uploadedBy: actorId(ctx.actor), ...COUNTED },
  )

/** The name under which a file is stored. */
export const storedName = (name: string, mimeType: string): string =>
  withEnding(cleanFileName(name), mimeType)

const store = async (
  ctx: Ctx,
  given: Given,
  { uploadedBy, complete, refusal }: Completion & { uploadedBy: string | null },
): Promise<Attachment> => {
  const id = given.id ?? ctx.newId()
  const mimeType = cleanMimeType(given.mimeType)
  const name = storedName(given.name, mimeType)
  const type = given.type ?? kindOf(mimeType)
  const key = fileKey(ctx.workspaceId, id)
  const { content } = given
  const contentHash = Buffer.isBuffer(content) ? createHash('sha256').update(content).digest() : null
  if (uploadedBy !== null && !(await hasUploadRoom(ctx))) throw new ApiError('UPLOAD_QUOTA_EXCEEDED')
  await insertUpload(ctx, { id, type, name, mimeType, key, contentHash, uploadedBy })
  try {
    const { size } = await ctx.files.put(key, content, { mimeType })
    if (!(await complete(ctx, id, size))) {
      await ctx.files.remove(key).catch(() => {})
      throw refusal()
    }
    return { id, type, name, mimeType, size, url: fileUrl(ctx, id) }
  } catch (error) {
    // If this fails too, the sweep deletes it.
    await deleteUpload(ctx, id).catch(() => {})
    throw error
  }
}

const bounded = (stream: Readable, bytesMax: number): Readable => {
  let seen = 0
  const counted = new Transform({
    transform(chunk: Buffer, _, next) {
      seen += chunk.length
      if (seen <= bytesMax) next(null, chunk)
      else
        next(new ApiError('PAYLOAD_TOO_LARGE', { message: `The file is larger than ${bytesMax / MIB} MiB.` }))
    },
  })
  stream.on('error', (error) => counted.destroy(error))
  // It may fail before the row is written; the store sees the error once it reads.
  counted.on('error', () => {})
  counted.on('close', () => stream.destroy())
  return stream.pipe(counted)
}
