// A customer's answer to an email about their chat on a website. See docs/decisions/0094-chats-by-email.md.
import { bindStored } from '../../domain/attachments/attach.ts'
import { findChatThread, findStoredReply, setAnswered } from '../../domain/chat-emails/queries.ts'
import { addressHash } from '../../domain/chat-emails/tokens.ts'
import { handOut } from '../../domain/conversations/hand-out.ts'
import { lockConversation } from '../../domain/conversations/queries.ts'
import { reopen } from '../../domain/conversations/reopen.ts'
import { insertEmailContent } from '../../domain/emails/queries.ts'
import { appendMessage } from '../../domain/messages/append-message.ts'
import { isContactBlocked } from '../../domain/visitors/block-queries.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import type { InboundMail } from './receive-mail.ts'

/**
 * Stores an email in the chat that it answers: one to which a signed id leads, from the very address that the chat goes
 * on at. Whoever holds that address as a contact, nothing of theirs is read or changed. Undefined if it answers none,
 * and it is then an email like any other.
 */
export const receiveChatReply = (
  ctx: Ctx,
  mail: InboundMail,
  emailId: string,
): Promise<{ messageId: string; isRepeat: boolean } | undefined> =>
  inTransaction(ctx, async (ctx) => {
    const { from, refersTo } = mail
    const thread = await findChatThread(ctx, [...refersTo.messageIds, ...refersTo.conversationIds])
    if (!thread || !from.isProven || thread.address !== from.address) return undefined
    const place = await lockConversation(ctx, thread.conversationId)
    if (!place || place.isDisconnected || (await isContactBlocked(ctx, place.contactId))) return undefined
    const externalId = `email:${mail.channelAccountId}:${mail.externalId}`
    const known = await findStoredReply(ctx, { channelAccountId: place.channelAccountId, externalId })
    if (known !== undefined) return { messageId: known, isRepeat: true }
    const isAutomatic = mail.automatic === 'reply'
    const isReopening = place.status === 'closed' && !isAutomatic
    const conversation = isReopening ? await reopen(ctx, place) : place
    const hash = addressHash(ctx, from.address)
    // What the receiving server found out is about the mailbox. It says nothing of whoever else writes in the chat.
    const { senderVerification: _, ...metadata } = mail.metadata
    const message = await appendMessage(ctx, {
      conversation,
      senderType: 'customer',
      senderId: conversation.contactId,
      body: mail.body,
      status: 'sent',
      metadata: { ...metadata, viaEmail: true, addressHash: hash },
      externalId,
      ...(!isAutomatic && { inboundAt: mail.sentAt }),
      isReopening,
      hasAttachments: mail.attachmentIds.length > 0,
    })
    await insertEmailContent(ctx, {
      messageId: message.id,
      conversationId: conversation.id,
      ...mail.content,
    })
    if (!isAutomatic) await setAnswered(ctx, { conversationId: conversation.id, addressHash: hash, emailId })
    await bindStored(ctx, message.id, mail.attachmentIds)
    if (!isAutomatic) await handOut(ctx, [conversation])
    return { messageId: message.id, isRepeat: false }
  })
