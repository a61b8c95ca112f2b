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
  const { replyWindow } = ctx.channels[conversation.channel]
  if (!replyWindow) return
  const last = await findLastInbound(ctx, conversation)
  if (last && ctx.now().getTime() < last.getTime() + replyWindow.hours * HOUR_MS) return
  throw new ApiError('WHATSAPP_SERVICE_WINDOW_CLOSED')
}
