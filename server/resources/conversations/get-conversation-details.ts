import type { Ctx } from '../../ctx.ts'
import { ApiError } from '../../errors.ts'
import { fileUrl } from '../../files/links.ts'
import { findAround } from './inbox-queries.ts'
import type { ConversationDetails, InboxRow } from './inbox-schema.ts'
import { findConversationItem } from './list-conversations.ts'
import { findReplyWindow } from './reply-window.ts'
import { findUnreachableReason } from './require-reachable.ts'

/** A conversation with what its screen needs to let somebody answer. Throws CONVERSATION_NOT_FOUND. */
export const getConversationDetails = async (ctx: Ctx, id: string): Promise<ConversationDetails> => {
  const [row, around] = await Promise.all([findConversationItem(ctx, id), findAround(ctx, id)])
  if (!row || !around) throw new ApiError('CONVERSATION_NOT_FOUND')
  const { avatarUrl, channel, channelAccountId, accountName: name, address, subject } = around
  const { delivery, attachments } = ctx.channels[channel]
  const replyWindow = await findReplyWindow(ctx, around)
  const cannotReplyReason =
    delivery === 'none'
      ? new ApiError('CHANNEL_NOT_SUPPORTED').message
      : replyWindow && !replyWindow.isOpen
        ? new ApiError(replyWindow.errorCode).message
        : await findUnreachableReason(ctx, around)
  return {
    // For a person, rows have what people's lists show.
    conversation: {
      ...(row as InboxRow),
      contact: { ...row.contact, avatarUrl: avatarUrl && fileUrl(ctx, avatarUrl) },
    },
    replyWindow: replyWindow && {
      closesAt: replyWindow.closesAt?.toISOString() ?? null,
      isOpen: replyWindow.isOpen,
    },
    canReply: cannotReplyReason === null,
    cannotReplyReason,
    channelAccount: { id: channelAccountId, name, address },
    subject,
    attachmentsAllowed: attachments ? { max: attachments.max, bytesMax: attachments.bytesMax } : null,
  }
}
