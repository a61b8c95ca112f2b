// A customer's mail, read and proven by the inbound side, into its thread.
import { type Ctx, inTransaction } from '../../ctx.ts'
import type { Metadata } from '../../db/tables.ts'
import { bindStored } from '../attachments/attach.ts'
import { findRepeats } from '../attachments/queries.ts'
import { resolveSender } from '../contacts/resolve-sender.ts'
import { appendMessage } from '../conversations/append-message.ts'
import { openConversation } from '../conversations/open-conversation.ts'
import { type LockedConversation, lockContinuable, lockConversation } from '../conversations/queries.ts'
import { reopen } from '../conversations/receive-message.ts'
import {
  countOpenedSince,
  type FoundThread,
  findEmailThread,
  insertEmailContent,
  setEmailThread,
} from './queries.ts'

/** A sender opens no more conversations than this in an hour: what comes beyond goes into their latest one. */
export const OPENED_MAX = 30
const OPENED_WITHIN_MS = 3_600_000
const SUBJECT_MAX = 500

export type InboundMail = {
  channelAccountId: string
  from: { address: string; name: string | null; isProven: boolean }
  /** Where the sender wants answers, when that is another place. */
  replyTo: string | null
  subject: string
  /** What the sender wrote; the content holds it with what they quoted. */
  body: string
  content: { text: string | null; html: string | null; referenceIds: readonly string[] }
  externalId: string
  sentAt: Date
  /** `reply`: a program answered by itself. It reopens nothing and counts as nothing unread. */
  automatic: string | null
  metadata: Metadata
  /** By what the mail may be found to belong to a conversation; what was signed has been checked. */
  refersTo: { conversationIds: readonly string[]; messageIds: readonly string[]; emailIds: readonly string[] }
  /** Contents that storeAttachment kept before this transaction. */
  attachmentIds: readonly string[]
}

export type ReceivedMail = { messageId: string; conversationId: string; contactId: string }

/**
 * Stores a mail. It goes into the conversation that it refers to when its sender is who that one is with; a stranger who
 * knows a thread's ids gets a conversation of their own, which names the other. A closed conversation is reopened and
 * keeps its assignment, except by a program's answer. In the caller's transaction, which has looked for a repeat.
 */
export const receiveMail = (ctx: Ctx, mail: InboundMail): Promise<ReceivedMail> =>
  inTransaction(ctx, async (ctx) => {
    const { channelAccountId, from } = mail
    const thread = await findEmailThread(ctx, { channelAccountId, ...mail.refersTo })
    const place = await findPlace(ctx, mail, thread)
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
      openDelta: isReopened ? 1 : 0,
    })
    await insertEmailContent(ctx, { messageId: message.id, ...files.content })
    if (!isAnswer || place.isNew)
      await setEmailThread(ctx, conversation.id, {
        address: from.address,
        // A later mail cannot lead the answers of a thread to somebody else's house.
        replyTo: place.isNew || isSameHouse(mail.replyTo, from.address) ? mail.replyTo : null,
        subject: mail.subject || null,
      })
    await bindStored(ctx, message.id, files.attachmentIds)
    return { messageId: message.id, conversationId: conversation.id, contactId: conversation.contactId }
  })

/**
 * Mail programs send the logo, and often every file, again with each answer. What the thread has already is kept once:
 * the HTML shows the earlier one. A mail that says nothing else keeps its files.
 */
const withoutRepeats = async (
  ctx: Ctx,
  { attachmentIds, body, content }: InboundMail,
  conversationId: string,
): Promise<Pick<InboundMail, 'attachmentIds' | 'content'>> => {
  if (attachmentIds.length === 0 || body === '') return { attachmentIds, content }
  const repeats = await findRepeats(ctx, { conversationId, ids: attachmentIds })
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
  // The thread's own address: whoever else has a right to it, this thread was always with them.
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
    // A program that answers something we do not know begins nothing.
    const isAnswer = mail.automatic === 'reply'
    const isFlood =
      !isAnswer &&
      (await countOpenedSince(ctx, {
        contactId: contact.id,
        channelAccountId,
        since: new Date(ctx.now().getTime() - OPENED_WITHIN_MS),
        limit: OPENED_MAX,
      })) >= OPENED_MAX
    const latest = isAnswer || isFlood ? await lockContinuable(ctx, contact.id, channelAccountId) : undefined
    if (latest) return { conversation: latest, isNew: false, isFlood }
  }
  const subject = [...mail.subject].slice(0, SUBJECT_MAX).join('') || null
  const conversation = await openConversation(ctx, { channel: 'email', channelAccountId, contact, subject })
  return { conversation, isNew: true, isFlood: false }
}
