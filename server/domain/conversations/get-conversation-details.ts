import type { Channel } from '../../../channels/channel.ts'
import { DEFINITIONS } from '../../../channels/definitions.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { ChannelName } from '../../platform/db/tables.ts'
import { ApiError } from '../../platform/errors.ts'
import { fileUrl } from '../../platform/files/links.ts'
import { findReplyAddress } from '../emails/reply-address.ts'
import { findAround } from './inbox-queries.ts'
import type { ConversationDetails } from './inbox-schema.ts'
import { findInboxRow } from './list-conversations.ts'
import { findReplyWindow } from './reply-window.ts'
import { DISCONNECTED, findUnreachableReason } from './require-reachable.ts'

const reactionsOf = (channel: ChannelName): ConversationDetails['reactions'] => {
  const { reactions } = DEFINITIONS[channel]
  return reactions === 'any' ? reactions : [...reactions]
}

/** A conversation with everything its screen needs for replying. Throws CONVERSATION_NOT_FOUND. */
export const getConversationDetails = async (ctx: Ctx, id: string): Promise<ConversationDetails> => {
  const [row, around] = await Promise.all([findInboxRow(ctx, id), findAround(ctx, id)])
  if (!row || !around) throw new ApiError('CONVERSATION_NOT_FOUND')
  const { avatarUrl, channel, channelAccountId, accountName: name, address, subject, isAutomated } = around
  const { delivery, attachments, showsQuotes }: Channel = ctx.channels[channel]
  const replyWindow = await findReplyWindow(ctx, around)
  const cannotReplyReason = around.isDisconnected
    ? DISCONNECTED
    : delivery === 'none'
      ? new ApiError('CHANNEL_NOT_SUPPORTED').message
      : replyWindow && !replyWindow.isOpen
        ? new ApiError(replyWindow.errorCode).message
        : await findUnreachableReason(ctx, around)
  return {
    conversation: {
      ...row,
      contact: { ...row.contact, avatarUrl: avatarUrl && fileUrl(ctx, avatarUrl) },
    },
    replyWindow: replyWindow && {
      closesAt: replyWindow.closesAt?.toISOString() ?? null,
      isOpen: replyWindow.isOpen,
    },
    canReply: cannotReplyReason === null,
    cannotReplyReason,
    canQuote: cannotReplyReason === null && showsQuotes === true,
    reactions: cannotReplyReason === null ? reactionsOf(channel) : [],
    channelAccount: { id: channelAccountId, name, address },
    subject,
    isAutomated,
    mayHaveDrafts: isAutomated || around.isProposedTo,
    repliesTo: channel === 'email' ? await findReplyAddress(ctx, id) : null,
    attachmentsAllowed: attachments ? { max: attachments.max, bytesMax: attachments.bytesMax } : null,
  }
}
