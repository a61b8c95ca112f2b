import type { ReplyWindow } from '../../../channels/channel.ts'
import type { Ctx } from '../../ctx.ts'
import { ApiError } from '../../errors.ts'
import { findLastInbound } from './alter-queries.ts'
import type { LockedConversation } from './queries.ts'

const HOUR_MS = 3_600_000

/**
 * Plain messages go out within the channel's reply window only, which is open until just before so many hours after the
 * customer's last message. Judged in the sending transaction. Throws WHATSAPP_SERVICE_WINDOW_CLOSED.
 */
export const requireOpenWindow = async (ctx: Ctx, conversation: LockedConversation): Promise<void> => {
  const window = await findReplyWindow(ctx, conversation)
  if (window && !window.isOpen) throw new ApiError(window.errorCode)
}

type Found = { isOpen: boolean; closesAt: Date | null; errorCode: ReplyWindow['errorCode'] }

/** How long plain messages are taken yet; null on a channel that always takes them. */
export const findReplyWindow = async (
  ctx: Ctx,
  conversation: Pick<LockedConversation, 'channel' | 'contactId' | 'channelAccountId'>,
): Promise<Found | null> => {
  const { replyWindow } = ctx.channels[conversation.channel]
  if (!replyWindow) return null
  const last = await findLastInbound(ctx, conversation)
  const closesAt = last && new Date(last.getTime() + replyWindow.hours * HOUR_MS)
  const isOpen = closesAt !== null && ctx.now().getTime() < closesAt.getTime()
  return { isOpen, closesAt, errorCode: replyWindow.errorCode }
}
