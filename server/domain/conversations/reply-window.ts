import { sql } from 'kysely'
import type { ReplyWindow } from '../../../channels/channel.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { ApiError } from '../../platform/errors.ts'
import type { LockedConversation } from './queries.ts'

const HOUR_MS = 3_600_000

/**
 * Plain messages can only be sent within the channel's reply window, which closes slightly before its hours after the
 * customer's last message are over. Checked in the sending transaction. Throws WHATSAPP_SERVICE_WINDOW_CLOSED.
 */
export const requireOpenWindow = async (ctx: Ctx, conversation: LockedConversation): Promise<void> => {
  const window = await findReplyWindow(ctx, conversation)
  if (window && !window.isOpen) throw new ApiError(window.errorCode)
}

type Found = { isOpen: boolean; closesAt: Date | null; errorCode: ReplyWindow['errorCode'] }

/** How long plain messages are still accepted; null on a channel that always accepts them. */
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

/** When the customer last wrote on a channel account, in any conversation. */
const findLastInbound = async (
  { db, workspaceId }: Ctx,
  { contactId, channelAccountId }: { contactId: string; channelAccountId: string },
): Promise<Date | null> => {
  const { rows } = await sql<{ at: string | null }>`
    select max(last_inbound_at) as at from conversations
    where workspace_id = ${workspaceId} and contact_id = ${contactId}
      and channel_account_id = ${channelAccountId}`.execute(db)
  return rows[0]?.at ? new Date(rows[0].at) : null
}
