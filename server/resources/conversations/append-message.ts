import type { Ctx } from '../../ctx.ts'
import type { MessageStatus, Metadata, SenderType } from '../../db/tables.ts'
import { record } from '../../events/record.ts'
import { noteActivity } from '../contacts/counters.ts'
import { indexGrams } from './grams.ts'
import { insertMessage, type LockedConversation } from './queries.ts'

export type MessageInput = {
  /** Locked by the caller, in this transaction. */
  conversation: LockedConversation
  senderType: Exclude<SenderType, 'system'>
  senderId: string
  body: string
  status: MessageStatus
  replyToMessageId?: string | null
  replyQuote?: string | null
  metadata?: Metadata | null
  /** The provider's id of an inbound message; unique on its channel account. */
  externalId?: string | null
  /** When the customer wrote it, by the provider's clock. Given for inbound messages only. */
  inboundAt?: Date
  /** 1 when the conversation was reopened for this message. */
  openDelta?: 0 | 1
}

/**
 * Puts a message at the end of a conversation: the thread, what the lists show, the contact's activity, the search
 * index and the event, in the caller's transaction. Returns its id, or undefined when the channel account has a
 * message of that external id already; then nothing has changed.
 */
export const appendMessage = async (ctx: Ctx, input: MessageInput): Promise<string | undefined> => {
  const { conversation } = input
  const id = ctx.newId()
  const at = ctx.now()
  const isInserted = await insertMessage(ctx, {
    id,
    conversation,
    senderType: input.senderType,
    senderId: input.senderId,
    body: input.body,
    status: input.status,
    replyToMessageId: input.replyToMessageId ?? null,
    replyQuote: input.replyQuote ?? null,
    metadata: input.metadata ?? null,
    externalId: input.externalId ?? null,
    at,
    inboundAt: input.inboundAt ?? null,
  })
  if (!isInserted) return undefined
  await noteActivity(ctx, conversation.contactId, {
    conversationId: conversation.id,
    agentId: conversation.agentId,
    at,
    openDelta: input.openDelta ?? 0,
  })
  await indexGrams(ctx, conversation.id, input.body)
  await record(ctx, {
    type: 'message.created',
    conversationId: conversation.id,
    contactId: conversation.contactId,
    data: { messageId: id, senderType: input.senderType },
  })
  return id
}
