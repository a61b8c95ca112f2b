// Contents that are at hand: of an email that came in, or uploaded by an agent. The row comes first and the file after
// it, so that a crash leaves a row by which both are swept.
import { createHash } from 'node:crypto'
import { type Readable, Transform } from 'node:stream'
import { actorId, type Ctx } from '../../ctx.ts'
import { ApiError } from '../../errors.ts'
import { cleanFileName, cleanMimeType, kindOf, withEnding } from '../../files/file-name.ts'
import { fileUrl } from '../../files/links.ts'
import { fileKey } from '../../files/store.ts'
import type { Attachment } from '../conversations/schema.ts'
import { completeUpload, deleteUpload, type FileType, insertUpload } from './queries.ts'

const MIB = 1024 * 1024
/** Of a file that an agent uploads. */
export const UPLOAD_BYTES_MAX = 25 * MIB

type Given = {
  name: string
  mimeType: string | null
  content: Buffer | Readable
  /** Where its MIME type does not say it, as for a sticker. */
  type?: FileType
}

/**
 * Keeps a content for a message that comes in. Called before the transaction that stores the message and takes the id in
 * `attachmentIds`; one that no message takes is swept after a day.
 */
export const storeAttachment = (ctx: Ctx, given: Given): Promise<Attachment> => {
  if (ctx.afterCommit) throw new Error('a file is stored before the transaction, not in it')
  return store(ctx, given, null)
}

/**
 * Keeps a file that somebody uploads, for a message of theirs: see attachmentIds in send-message.ts. Swept after a day
 * if no message has taken it. Throws PAYLOAD_TOO_LARGE beyond UPLOAD_BYTES_MAX.
 */
export const storeUpload = (
  ctx: Ctx,
  { name, mimeType, stream }: { name: string; mimeType: string | null; stream: Readable },
): Promise<Attachment> =>
  store(ctx, { name, mimeType, content: bounded(stream, UPLOAD_BYTES_MAX) }, actorId(ctx.actor))

const store = async (ctx: Ctx, given: Given, uploadedBy: string | null): Promise<Attachment> => {
  const id = ctx.newId()
  const mimeType = cleanMimeType(given.mimeType)
  const name = withEnding(cleanFileName(given.name), mimeType)
  const type = given.type ?? kindOf(mimeType)
  const key = fileKey(ctx.workspaceId, id)
  const { content } = given
  const contentHash = Buffer.isBuffer(content) ? createHash('sha256').update(content).digest() : null
  await insertUpload(ctx, { id, type, name, mimeType, key, contentHash, uploadedBy })
  try {
    const { size } = await ctx.files.put(key, content, { mimeType })
    if (!(await completeUpload(ctx, id, size)))
      throw new Error(`upload ${id} was swept before it was complete`)
    return { id, type, name, mimeType, size, url: fileUrl(ctx, id) }
  } catch (error) {
    // Should this fail too, the sweep does it.
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
  // It may break before the row is written and the store reads it, and then hears of it.
  counted.on('error', () => {})
  counted.on('close', () => stream.destroy())
  return stream.pipe(counted)
}
