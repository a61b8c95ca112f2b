// Puts a customer's parsed and verified email into its thread.

import { bindStored } from '../../domain/attachments/attach.ts'
import { findRepeats } from '../../domain/attachments/queries.ts'
import { handOut } from '../../domain/conversations/hand-out.ts'
import { openConversation } from '../../domain/conversations/open-conversations.ts'
import { findContinuable } from '../../domain/conversations/open-queries.ts'
import { type LockedConversation, lockConversation } from '../../domain/conversations/queries.ts'
import { reopen } from '../../domain/conversations/reopen.ts'
import {
  countOpenedSince,
  type FoundThread,
  findEmailThread,
  insertEmailContent,
  setEmailThread,
} from '../../domain/emails/queries.ts'
import { appendMessage } from '../../domain/messages/append-message.ts'
import { confirmSender, resolveSender } from '../../domain/people/resolve-sender.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import type { Metadata } from '../../platform/db/tables.ts'

/** A sender opens no more conversations than this per hour; further emails go into their latest one. */
export const OPENED_MAX = 30
const OPENED_WITHIN_MS = 3_600_000
const SUBJECT_MAX = 500

export type InboundMail = {
  channelAccountId: string
  from: {
    address: string
    name: string | null
    /** False if a check failed or only a form names the sender. If nothing was checked, it is still true. */
    isProven: boolean
    /** Whether it passed the receiving server's checks. */
    isVerified: boolean
  }
  /** The Reply-To address, if it differs from the sender's. */
  replyTo: string | null
  subject: string
  /** What the sender wrote; the content includes the quoted text. */
  body: string
  content: {
    text: string | null
    html: string | null
    referenceIds: readonly string[]
    hidden: string
  }
  externalId: string
  sentAt: Date
  /** `reply`: sent automatically by a program. It doesn't reopen anything or count as unread. */
  automatic: string | null
  metadata: Metadata
  /** How the email can be matched to a conversation; signatures have been checked. */
  refersTo: { conversationIds: readonly string[]; messageIds: readonly string[]; emailIds: readonly string[] }
  /** Files that storeAttachment stored before this transaction. */
  attachmentIds: readonly string[]
}

type ReceivedMail = { messageId: string; conversationId: string; contactId: string }

/**
 * Stores an email. It goes into the conversation it refers to if its sender is that conversation's contact; a
 * stranger who knows a thread's ids gets a separate conversation that links to the other. A closed conversation is
 * reopened and keeps its assignment, except by an automatic reply. Runs in the caller's transaction, which has
 * checked for a repeat.
 */
export const receiveMail = (ctx: Ctx, mail: InboundMail): Promise<ReceivedMail> =>
  inTransaction(ctx, async (ctx) => {
    const { channelAccountId, from } = mail
    const thread = await findEmailThread(ctx, { channelAccountId, ...mail.refersTo })
    const place = await findPlace(ctx, mail, thread)
    if (from.isVerified) await confirmSender(ctx, place.conversation.contactId, from.address)
    const isAnswer = mail.automatic === 'reply'
    const isReopened = place.conversation.status === 'closed' && !isAnswer
    const conversation = isReopened ? await reopen(ctx, place.conversation) : place.conversation
    const metadata = {
      ...mail.metadata,
      ...(place.isFlood && { flood: true }),
      ...(thread &&
        thread.conversationId !== conversation.id && { relatedConversationId: thread.conversationId }),
    }
    const files = place.isNew ? mail : await withoutRepeats(ctx, mail, conversation.id)
    const message = await appendMessage(ctx, {
      conversation,
      senderType: 'customer',
      senderId: conversation.contactId,
      body: mail.body,
      status: 'sent',
      metadata,
      externalId: mail.externalId,
      ...(!isAnswer && { inboundAt: mail.sentAt }),
      isReopening: isReopened,
      hasAttachments: files.attachmentIds.length > 0,
    })
    await insertEmailContent(ctx, {
      messageId: message.id,
      conversationId: conversation.id,
      ...files.content,
    })
    if (!isAnswer || place.isNew)
      await setEmailThread(ctx, conversation.id, {
        address: from.address,
        // A later email can't redirect a thread's replies to someone else.
        replyTo: place.isNew || isSameHouse(mail.replyTo, from.address) ? mail.replyTo : null,
        subject: mail.subject || null,
      })
    await bindStored(ctx, message.id, files.attachmentIds)
    if (!isAnswer) await handOut(ctx, [conversation])
    return { messageId: message.id, conversationId: conversation.id, contactId: conversation.contactId }
  })

/**
 * Mail programs resend the logo of a signature with each reply. An image embedded in the HTML that the thread already
 * has is stored once, and the HTML shows the earlier one. Every other file appears with each email that brings it.
 */
const withoutRepeats = async (
  ctx: Ctx,
  { attachmentIds, content }: InboundMail,
  conversationId: string,
): Promise<Pick<InboundMail, 'attachmentIds' | 'content'>> => {
  const embedded = attachmentIds.filter((id) => content.html?.includes(` data-attachment="${id}"`))
  if (embedded.length === 0) return { attachmentIds, content }
  const repeats = await findRepeats(ctx, { conversationId, ids: embedded })
  const html = content.html?.replace(
    /(?<= data-attachment=")[^"]+/g,
    (attachmentId) => repeats.get(attachmentId) ?? attachmentId,
  )
  return {
    attachmentIds: attachmentIds.filter((id) => !repeats.has(id)),
    content: { ...content, html: html ?? null },
  }
}

const isSameHouse = (one: string | null, other: string): boolean =>
  one !== null && one.slice(one.lastIndexOf('@')) === other.slice(other.lastIndexOf('@'))

type Place = { conversation: LockedConversation; isNew: boolean; isFlood: boolean }

const findPlace = async (ctx: Ctx, mail: InboundMail, thread: FoundThread | undefined): Promise<Place> => {
  const { channelAccountId, from } = mail
  const known = (conversation: LockedConversation): Place => ({ conversation, isNew: false, isFlood: false })
  // The thread's own address: whoever else uses it, this thread was always with them.
  if (thread && from.isProven && thread.address === from.address) {
    const conversation = await lockConversation(ctx, thread.conversationId)
    if (conversation) return known(conversation)
  }
  const contact = await resolveSender(ctx, { email: from.address, name: from.name, isProven: from.isProven })
  if (thread && from.isProven && thread.contactId === contact.id) {
    const conversation = await lockConversation(ctx, thread.conversationId)
    if (conversation?.contactId === contact.id) return known(conversation)
  }
  if (!contact.created) {
    // An automatic reply to something unknown starts no conversation.
    const isAnswer = mail.automatic === 'reply'
    const isFlood =
      !isAnswer &&
      (await countOpenedSince(ctx, {
        contactId: contact.id,
        channelAccountId,
        since: new Date(ctx.now().getTime() - OPENED_WITHIN_MS),
        limit: OPENED_MAX,
      })) >= OPENED_MAX
    const [latest] =
      isAnswer || isFlood ? await findContinuable(ctx, [{ contactId: contact.id, channelAccountId }]) : []
    if (latest) return { conversation: latest, isNew: false, isFlood }
  }
  const subject = [...mail.subject].slice(0, SUBJECT_MAX).join('') || null
  const conversation = await openConversation(ctx, 'email', {
    channelAccountId,
    contact,
    subject,
    origin: 'customer',
  })
  return { conversation, isNew: true, isFlood: false }
}
