// The stored files of a message, as channels read them.
import type { Readable } from 'node:stream'
import { DeliveryError, type OutboundAttachment } from '../../channels/channel.ts'
import type { KeyedUpload } from '../domain/attachments/upload-queries.ts'
import type { Ctx } from '../platform/ctx/ctx.ts'
import { fileUrl } from '../platform/files/links.ts'
import { MissingFileError } from '../platform/files/store.ts'

export const toFile = (ctx: Ctx, { key, ...file }: KeyedUpload): OutboundAttachment => ({
  ...file,
  open: () => openFile(ctx, key),
  url: fileUrl(ctx, file.id),
})

/** A file that can't be read is a definite failure: nothing has been sent yet. */
export const openFile = async (ctx: Ctx, key: string): Promise<Readable> => {
  try {
    return await ctx.files.open(key)
  } catch (cause) {
    throw cause instanceof MissingFileError
      ? new DeliveryError('refused', 'FILE_LOST', 'An attachment is no longer available.', { cause })
      : new DeliveryError('retry', 'FILE_UNREADABLE', 'An attachment can’t be read right now.', { cause })
  }
}
