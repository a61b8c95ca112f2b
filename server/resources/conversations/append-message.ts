import type { Ctx } from '../../ctx.ts'
import type { MessageStatus, Metadata, SenderType } from '../../db/tables.ts'
import { eventInsert } from '../../events/record.ts'
import { activityUpdate } from '../contacts/counters.ts'
import { gramsInsert, gramsOf } from './grams.ts'
import { insertMessage, type LockedConversation } from './queries.ts'
import type { Message } from './schema.ts'

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
 * index and the event, in the caller's transaction. Should the channel account have a message of that external id
 * already, the transaction goes again (inTransaction): whoever gives one looks for it first.
 */
export const appendMessage = async (ctx: Ctx, input: MessageInput): Promise<Message> => {
  const { conversation } = input
  const id = ctx.newId()
  const at = ctx.now()
  const message = await insertMessage(
    ctx,
    {
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
    },
    {
      contact: activityUpdate(ctx, conversation.contactId, {
        conversationId: conversation.id,
        agentId: conversation.agentId,
        at,
        openDelta: input.openDelta ?? 0,
      }),
      grams: gramsInsert(ctx, conversation.id, gramsOf(input.body)),
      event: eventInsert(ctx, {
        type: 'message.created',
        conversationId: conversation.id,
        contactId: conversation.contactId,
        data: { messageId: id, senderType: input.senderType },
      }),
    },
  )
  if (message) return message
  throw Object.assign(new Error('a message of this external id was stored meanwhile'), {
    code: SERIALIZATION_FAILURE,
  })
}

/** PostgreSQL's word for "run the transaction again". */
const SERIALIZATION_FAILURE = '40001'
