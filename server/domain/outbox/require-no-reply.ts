import type { Ctx } from '../../platform/ctx/ctx.ts'
import { ApiError } from '../../platform/errors.ts'
import { findMessage } from '../conversations/thread-queries.ts'
import type { Since } from './queries.ts'

/** Throws REPLY_COLLISION, with the id of the reply in its details, or with none if it is only about to be sent. */
export const requireNoReply = async (
  ctx: Ctx,
  { replyId, senderAbout }: Pick<Since, 'replyId' | 'senderAbout'>,
): Promise<void> => {
  const reply = replyId === null ? undefined : await findMessage(ctx, replyId)
  if (reply)
    throw new ApiError('REPLY_COLLISION', {
      message: `${reply.sender.nickname} replied while you were writing.`,
      details: [{ field: 'seenMessageId', message: reply.id }],
    })
  if (senderAbout !== null)
    throw new ApiError('REPLY_COLLISION', { message: `${senderAbout} is about to send a reply.` })
}
