// A file that a visitor uploads, before the message that has it. Visitors are strangers: what they may send is decided by
// what they announce, before the file is read, and again while it is.

import type { Readable } from 'node:stream'
import { Transform } from 'node:stream'
import type { Attachment } from '../../domain/attachments/schema.ts'
import { storeAttachment } from '../../domain/attachments/store-attachment.ts'
import { findChatBox } from '../../domain/chat-boxes/queries.ts'
import {
  countVisitorFiles,
  findVisitorFile,
  insertVisitorFile,
  setVisitorFile,
  type Used,
} from '../../domain/visitors/file-queries.ts'
import { beginsAs, VISITOR_FILE_MAX_BYTES, visitorFileType } from '../../domain/visitors/file-types.ts'
import type { Visitor } from '../../domain/visitors/queries.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError, invalid } from '../../platform/errors.ts'
import { fileUrl } from '../../platform/files/links.ts'

const MIB = 1024 * 1024
const HOUR_MS = 3_600_000
/** Per hour, unless it says otherwise. A retried upload counts once, one that is never sent too. */
export const LIMITS = {
  visitorFiles: 20,
  visitorBytes: 40 * MIB,
  addressFiles: 60,
  addressBytes: 120 * MIB,
  hourBytes: 1024 * MIB,
  dayBytes: 4096 * MIB,
} as const satisfies Used
const RETRY_AFTER_SECONDS = '600'
/** What types begin with is within these. */
const BEGINNING_BYTES = 1_024

type Given = {
  clientId: string
  name: string
  /** As announced; undefined if it was not. */
  size: number | undefined
  address: string
  content: Readable
}

/**
 * Stores a file for a message of the visitor. Repeating a clientId returns the file that is there, or stores it once.
 * Throws VALIDATION_ERROR where files are switched off and for a missing length, PAYLOAD_TOO_LARGE,
 * UNSUPPORTED_MEDIA_TYPE, and RATE_LIMIT_EXCEEDED.
 */
export const receiveFile = async (ctx: Ctx, visitor: Visitor, given: Given): Promise<Attachment> => {
  const { clientId, name, size, content } = given
  const mimeType = visitorFileType(name)
  if (mimeType === undefined) throw refusedType()
  if (size === undefined || !Number.isSafeInteger(size) || size < 1)
    throw invalid({ field: 'file', message: 'must have content, and a Content-Length' })
  if (size > VISITOR_FILE_MAX_BYTES) throw tooLarge()
  const { settings } = await findChatBox(ctx, visitor.channelAccountId)
  if (!settings.acceptsFiles) throw invalid({ field: 'file', message: 'is not accepted on this channel' })
  const known = await reserve(ctx, visitor.id, { ...given, size })
  if (known) {
    // Unread, it would look like a lost connection to the page.
    content.resume()
    return { ...known, url: fileUrl(ctx, known.id) }
  }
  const file = await storeAttachment(ctx, { name, mimeType, content: checked(content, mimeType) })
  await setVisitorFile(ctx, { visitorId: visitor.id, clientId, attachmentId: file.id })
  return file
}

const refusedType = (): ApiError =>
  new ApiError('UNSUPPORTED_MEDIA_TYPE', { message: 'Files of this type are not accepted.' })
const tooLarge = (): ApiError =>
  new ApiError('PAYLOAD_TOO_LARGE', {
    message: `The file is larger than ${VISITOR_FILE_MAX_BYTES / MIB} MiB.`,
  })

/** Counts the file before any of it is read; one that is there already is returned. */
const reserve = (
  ctx: Ctx,
  visitorId: string,
  { clientId, size, address }: Omit<Given, 'size'> & { size: number },
) =>
  inTransaction(ctx, async (ctx) => {
    const ago = (ms: number) => new Date(ctx.now().getTime() - ms)
    const { isCounted, file } = await findVisitorFile(ctx, { visitorId, clientId })
    if (isCounted) return file
    const used = await countVisitorFiles(ctx, {
      ...{ visitorId, address, hourAgo: ago(HOUR_MS), dayAgo: ago(24 * HOUR_MS) },
    })
    const isFull = (Object.keys(LIMITS) as (keyof Used)[]).some(
      (name) => used[name] + (name.endsWith('Files') ? 1 : size) > LIMITS[name],
    )
    if (isFull)
      throw new ApiError('RATE_LIMIT_EXCEEDED', {
        message: 'Too many files were uploaded here. Try again later.',
        headers: { 'retry-after': RETRY_AFTER_SECONDS },
      })
    await insertVisitorFile(ctx, { visitorId, clientId, size, address })
    return null
  })

/** Ends with an error once there is more than announced, or a file that is shown doesn't begin as its name says. */
const checked = (content: Readable, mimeType: string): Readable => {
  let seen = 0
  let start: Buffer | null = Buffer.alloc(0)
  const isWrong = (): boolean => {
    const wrong = start !== null && !beginsAs(mimeType, start)
    start = null
    return wrong
  }
  const checking = new Transform({
    transform(chunk: Buffer, _, next) {
      seen += chunk.length
      if (seen > VISITOR_FILE_MAX_BYTES) return next(tooLarge())
      if (start !== null) start = Buffer.concat([start, chunk.subarray(0, BEGINNING_BYTES)])
      if (start !== null && start.length >= BEGINNING_BYTES && isWrong()) return next(refusedType())
      next(null, chunk)
    },
    flush: (done) => done(isWrong() ? refusedType() : null),
  })
  content.on('error', (error) => checking.destroy(error))
  // A connection that ends early is no end of the file.
  content.on('close', () => {
    if (!content.readableEnded) checking.destroy(new Error('the upload was interrupted'))
  })
  checking.on('error', () => {})
  checking.on('close', () => content.resume())
  return content.pipe(checking)
}
