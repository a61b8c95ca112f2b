// What a customer wrote, on any channel: from the adapter that proved and parsed it into the thread.
import { type Ctx, inTransaction } from '../../ctx.ts'
import type { ChannelName, Metadata } from '../../db/tables.ts'
import { record } from '../../events/record.ts'
import { cleanFileName } from '../../files/file-name.ts'
import { addAttachments, bindStored } from '../attachments/attach.ts'
import type { NewAttachment } from '../attachments/queries.ts'
import { type ResolveContactInput, resolveContact } from '../contacts/resolve-contact.ts'
import { appendMessage } from './append-message.ts'
import { openConversation } from './open-conversation.ts'
import {
  findMessageIdByExternalId,
  insertSystemEntry,
  type LockedConversation,
  lockContinuable,
  setConversationStatus,
} from './queries.ts'
import type { Message } from './schema.ts'
import { findMessage } from './thread-queries.ts'

export type InboundMessage = {
  channel: ChannelName
  channelAccountId: string
  from: ResolveContactInput
  body: string
  /** The provider's id, unique on the channel account. Null where it has none; then a repeat cannot be told. */
  externalId: string | null
  /** The provider's own time. */
  sentAt: Date
  metadata?: Metadata | null
  replyToMessageId?: string | null
  replyQuote?: string | null
  /** Files that the provider still has, and what is no file, such as a location. */
  attachments?: readonly NewAttachment[]
  /** Contents that came with it: storeAttachment kept them before this transaction. */
  attachmentIds?: readonly string[]
}

export type Received = { message: Message; conversationId: string; contactId: string; isRepeat: boolean }

/**
 * Stores a customer's message. It goes to the contact's open conversation on the channel account, else reopens the most
 * recent one there (which keeps its assignment), else opens one. A repeat of the same external id changes nothing and
 * gives back the message as stored.
 */
export const receiveMessage = (ctx: Ctx, input: InboundMessage): Promise<Received> =>
  inTransaction(ctx, async (ctx) => {
    const { channelAccountId, externalId } = input
    const contact = await resolveContact(ctx, input.from)
    if (externalId !== null) {
      const stored = await findMessageIdByExternalId(ctx, channelAccountId, externalId)
      if (stored) return repeated(ctx, stored.id, contact.id)
    }
    const known = await lockContinuable(ctx, contact.id, channelAccountId)
    const isReopened = known?.status === 'closed'
    const conversation = !known
      ? await openConversation(ctx, { channel: input.channel, channelAccountId, contact, subject: null })
      : isReopened
        ? await reopen(ctx, known)
        : known
    const message = await appendMessage(ctx, {
      conversation,
      senderType: 'customer',
      senderId: contact.id,
      body: input.body,
      status: 'sent',
      replyToMessageId: input.replyToMessageId ?? null,
      replyQuote: input.replyQuote ?? null,
      metadata: input.metadata ?? null,
      externalId,
      inboundAt: input.sentAt,
      openDelta: isReopened ? 1 : 0,
    })
    const complete = await attach(ctx, message, input)
    return { message: complete, conversationId: conversation.id, contactId: contact.id, isRepeat: false }
  })

const attach = async (
  ctx: Ctx,
  message: Message,
  { attachments = [], attachmentIds = [] }: InboundMessage,
): Promise<Message> => {
  if (attachments.length === 0 && attachmentIds.length === 0) return message
  const rows = attachments.map((attachment) => ({
    ...attachment,
    name: cleanFileName(attachment.name, attachment.type),
    id: ctx.newId(),
    messageId: message.id,
  }))
  await addAttachments(ctx, rows)
  await bindStored(ctx, message.id, attachmentIds)
  return (await findMessage(ctx, message.id)) ?? message
}

/** Opens a closed conversation for a message of its contact, or to it; the caller counts it on the contact. */
export const reopen = async (
  ctx: Ctx,
  conversation: LockedConversation,
  by: string = conversation.contactId,
): Promise<LockedConversation> => {
  const { contactId } = conversation
  const { agentId } = await setConversationStatus(ctx, conversation.id, 'open', ctx.now())
  await insertSystemEntry(ctx, {
    conversation,
    body: 'Conversation reopened',
    metadata: { event: 'reopened', by },
  })
  await record(ctx, {
    type: 'conversation.status',
    conversationId: conversation.id,
    contactId,
    data: { conversationId: conversation.id, status: 'open' },
  })
  return { ...conversation, status: 'open', agentId }
}

const repeated = async (ctx: Ctx, messageId: string, contactId: string): Promise<Received> => {
  const message = await findMessage(ctx, messageId)
  if (!message) throw new Error(`message ${messageId} was stored and is not there`)
  return { message, conversationId: message.conversationId, contactId, isRepeat: true }
}
