// A file that a visitor uploads, before the message that has it. Visitors are strangers: what they may send is decided by
// what they announce, before the file is read, and again while it is.

import type { Readable } from 'node:stream'
import { finished, Transform } from 'node:stream'
import { attachableSince } from '../../domain/attachments/attach.ts'
import type { Attachment } from '../../domain/attachments/schema.ts'
import { storeAttachment, storedName } from '../../domain/attachments/store-attachment.ts'
import { completeUpload } from '../../domain/attachments/upload-queries.ts'
import { findChatBox } from '../../domain/chat-boxes/queries.ts'
import {
  beginVisitorFile,
  countVisitorFiles,
  findVisitorFile,
  isLastAttempt,
  lockVisitorFiles,
  type Used,
  type VisitorFile,
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
const SENT_AGAIN_RETRY_SECONDS = '2'
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

/** What this process is receiving, by attachment; aborted when the page sends the file again. */
const running = new Map<string, AbortController>()

/**
 * Stores a file for a message of the visitor. Repeating a clientId returns the file that is there, or stores it once: the
 * last upload ends those before it, whose connections may be dead without our knowing, with IDEMPOTENCY_KEY_IN_USE.
 * Throws VALIDATION_ERROR where files are switched off, for a missing length, an interrupted upload and the clientId of
 * another file, PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, and RATE_LIMIT_EXCEEDED.
 */
export const receiveFile = async (ctx: Ctx, visitor: Visitor, given: Given): Promise<Attachment> => {
  const { clientId, name, size, address, content } = given
  const mimeType = visitorFileType(name)
  if (mimeType === undefined) throw refusedType()
  if (size === undefined || !Number.isSafeInteger(size) || size < 1)
    throw invalid({ field: 'file', message: 'must have content, and a Content-Length' })
  if (size > VISITOR_FILE_MAX_BYTES) throw tooLarge()
  const { settings } = await findChatBox(ctx, visitor.channelAccountId)
  if (!settings.acceptsFiles) throw invalid({ field: 'file', message: 'is not accepted on this channel' })
  const attempt: Attempt = { visitorId: visitor.id, clientId, attachmentId: ctx.newId(), size, address }
  const { attachmentId: id } = attempt
  const ending = new AbortController()
  running.set(id, ending)
  try {
    const { known, before } = await reserve(ctx, attempt)
    if (known) {
      if (known.size !== size || known.name !== storedName(name, mimeType))
        throw invalid({ field: 'clientId', message: 'was used for another file' })
      // Unread, it would look like a lost connection to the page.
      content.resume()
      return { ...known, url: fileUrl(ctx, known.id) }
    }
    if (before !== null) running.get(before)?.abort()
    const file = { id, name, mimeType, content: checked(content, { mimeType, size, signal: ending.signal }) }
    return await storeAttachment(ctx, file, { complete: completionOf(attempt), refusal: sentAgain })
  } finally {
    running.delete(id)
  }
}

type Attempt = {
  visitorId: string
  clientId: string
  attachmentId: string
  size: number
  address: string
}

const refusedType = (): ApiError =>
  new ApiError('UNSUPPORTED_MEDIA_TYPE', { message: 'Files of this type are not accepted.' })
const tooLarge = (): ApiError =>
  new ApiError('PAYLOAD_TOO_LARGE', {
    message: `The file is larger than ${VISITOR_FILE_MAX_BYTES / MIB} MiB.`,
  })
const sentAgain = (): ApiError =>
  new ApiError('IDEMPOTENCY_KEY_IN_USE', {
    message: 'This file is being uploaded once more. Try again shortly.',
    headers: { 'retry-after': SENT_AGAIN_RETRY_SECONDS },
  })

/**
 * Counts the file before any of it is read, by the most that was announced for it; one that is there already is returned.
 * `before`: the attempt that this one ends.
 */
const reserve = (ctx: Ctx, attempt: Attempt): Promise<{ known: VisitorFile | null; before: string | null }> =>
  inTransaction(ctx, async (ctx) => {
    const ago = (ms: number) => new Date(ctx.now().getTime() - ms)
    await lockVisitorFiles(ctx)
    const earlier = await findVisitorFile(ctx, { ...attempt, since: attachableSince(ctx) })
    const before = earlier?.attachmentId ?? null
    if (earlier?.file) return { known: earlier.file, before }
    const size = Math.max(attempt.size, earlier?.size ?? 0)
    const used = await countVisitorFiles(ctx, {
      ...attempt,
      hourAgo: ago(HOUR_MS),
      dayAgo: ago(24 * HOUR_MS),
    })
    const isFull = (Object.keys(LIMITS) as (keyof Used)[]).some(
      (name) => used[name] + (name.endsWith('Files') ? 1 : size) > LIMITS[name],
    )
    if (isFull)
      throw new ApiError('RATE_LIMIT_EXCEEDED', {
        message: 'Too many files were uploaded here. Try again later.',
        headers: { 'retry-after': RETRY_AFTER_SECONDS },
      })
    await beginVisitorFile(ctx, { ...attempt, size })
    return { known: null, before }
  })

/** A file is there once, even if another process receives it again at the moment. */
const completionOf =
  (attempt: Attempt) =>
  (ctx: Ctx, id: string, size: number): Promise<boolean> =>
    inTransaction(ctx, async (ctx) => {
      await lockVisitorFiles(ctx)
      return (await isLastAttempt(ctx, attempt)) && completeUpload(ctx, id, size)
    })

/** Ends with an error once there is more than announced, or a file that is shown doesn't begin as its name says. */
const checked = (
  content: Readable,
  { mimeType, size, signal }: { mimeType: string; size: number; signal: AbortSignal },
): Readable => {
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
      if (seen > size) return next(tooLarge())
      if (start !== null) start = Buffer.concat([start, chunk.subarray(0, BEGINNING_BYTES)])
      if (start !== null && start.length >= BEGINNING_BYTES && isWrong()) return next(refusedType())
      next(null, chunk)
    },
    flush: (done) => done(isWrong() ? refusedType() : null),
  })
  checking.on('error', () => {})
  const end = (): unknown => checking.destroy(sentAgain())
  signal.addEventListener('abort', end)
  if (signal.aborted) end()
  // A connection that ends early is no end of the file. Unlike events, this also tells of one that has ended already.
  finished(content, { writable: false }, (error) => {
    if (error) checking.destroy(invalid({ field: 'file', message: 'must arrive completely' }))
  })
  content.pipe(checking)
  // After the pipe's own listener, which pauses.
  return checking.on('close', () => content.resume())
}
