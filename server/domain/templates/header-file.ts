// Uploaded files in the headers of templates.
import type { TemplateDefinition, TemplateFile } from '../../../channels/channel.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { type ErrorDetail, invalid } from '../../platform/errors.ts'
import { MissingFileError } from '../../platform/files/store.ts'
import { findOwnUploads, listOwnUploads } from '../attachments/attach.ts'
import { copyToMessages } from '../attachments/queries.ts'
import type { KeyedUpload } from '../attachments/upload-queries.ts'

const FIELD = 'headerAttachmentId'

type Given = { headerAttachmentId?: string | null | undefined; headerFileName?: string | null | undefined }

/** The upload that a header names; undefined if it names none. Throws VALIDATION_ERROR for one that is not the actor's. */
export const findHeaderUpload = async (
  ctx: Ctx,
  { headerAttachmentId: id }: Given,
): Promise<KeyedUpload | undefined> => (id ? (await findOwnUploads(ctx, [id], FIELD))[0] : undefined)

/**
 * Checks what is in the file that a header names: it says itself what it is. Call it before the transaction, because it
 * reads the file; problemsOfUpload says whether the template takes such a file. One that is not theirs is refused in the
 * transaction, so that a repeated request can still get its first answer. Throws VALIDATION_ERROR.
 */
export const checkHeaderFile = async (ctx: Ctx, given: Given, type?: TemplateFile['type']): Promise<void> => {
  const [upload] = given.headerAttachmentId ? await listOwnUploads(ctx, [given.headerAttachmentId]) : []
  if (!upload) return
  const { whatsapp } = ctx.channels
  const own = upload.type === 'image' || upload.type === 'video' ? upload.type : 'document'
  const message = whatsapp.problemOfHeaderFile(
    type ?? own,
    upload,
    await readStart(ctx, upload.key, whatsapp.headerBytesOf(upload)),
  )
  if (message) throw invalid({ field: FIELD, message })
}

const readStart = async (ctx: Ctx, key: string, bytes: number): Promise<Buffer> => {
  if (bytes === 0) return Buffer.alloc(0)
  const parts: Buffer[] = []
  try {
    for await (const part of await ctx.files.open(key, { start: 0, end: bytes - 1 })) parts.push(part)
  } catch (error) {
    if (error instanceof MissingFileError)
      throw invalid({ field: FIELD, message: 'is no longer there; upload it again' })
    throw error
  }
  return Buffer.concat(parts)
}

/** Why the template doesn't take the file, whose content was checked by checkHeaderFile. */
export const problemsOfUpload = (
  { channels }: Ctx,
  definition: TemplateDefinition,
  upload: KeyedUpload | undefined,
): ErrorDetail[] => {
  const type = channels.whatsapp.headerFileType(definition)
  if (!upload || !type) return []
  const isSo = type === 'document' ? !['image', 'video'].includes(upload.type) : upload.type === type
  const what = type === 'image' ? 'an image' : `a ${type}`
  return isSo ? [] : [{ field: FIELD, message: `must be ${what}, as the template’s header is` }]
}

/** What the delivery's template says of the file. */
export const templateFileOf = (
  { channels }: Ctx,
  definition: TemplateDefinition,
  upload: { name: string } | undefined,
  { headerFileName }: Given,
): { file?: TemplateFile } => {
  const type = channels.whatsapp.headerFileType(definition)
  return upload && type ? { file: { type, fileName: headerFileName || upload.name } } : {}
}

/** The messages show the file too; its content is stored once. */
export const showHeaderFile = (
  ctx: Ctx,
  attachmentId: string,
  messageIds: readonly string[],
): Promise<void> =>
  copyToMessages(
    ctx,
    messageIds.map((messageId) => ({ fromId: attachmentId, id: ctx.newId(), messageId })),
  )
