import type { Ctx } from '../../platform/ctx/ctx.ts'
import { ApiError } from '../../platform/errors.ts'
import { fileUrl } from '../../platform/files/links.ts'
import { findAttachment } from './queries.ts'
import type { Attachment } from './schema.ts'

/**
 * A file of a conversation that the actor sees, or one of their own uploads, with a new URL. Throws
 * ATTACHMENT_NOT_FOUND.
 */
export const getAttachment = async (ctx: Ctx, id: string): Promise<Attachment> => {
  const attachment = await findAttachment(ctx, id)
  if (!attachment) throw new ApiError('ATTACHMENT_NOT_FOUND')
  return { ...attachment, url: fileUrl(ctx, id) }
}
