// Stores the messages of broadcasts with their deliveries, many at once. Content they share is sent to the database
// once.
import { sql } from 'kysely'
import type { OutboundTemplate } from '../../../channels/channel.ts'
import { recordedSender } from '../../platform/ctx/actor.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { Metadata } from '../../platform/db/tables.ts'
import type { LockedConversation } from '../conversations/queries.ts'
import { type Claim, claimedInsert } from '../deliveries/delivery-queries.ts'
import { bigramsOf } from '../search/bigrams.ts'
import { insertMessages, placeIn, THEIR_IDS } from './insert-messages.ts'

export type MessageContent = { body: string; metadata: Metadata; template: OutboundTemplate }

type OutboundBatch = {
  channelAccountId: string
  senderType: 'agent' | 'automation'
  senderId: string
  /** The caller adds them in this transaction. */
  hasAttachments?: boolean
  /** The content of messages that have none of their own. */
  shared: MessageContent
  messages: readonly {
    /** The caller has locked its contact's row in this transaction. No conversation occurs twice. */
    conversation: LockedConversation
    own: MessageContent | null
  }[]
}

/**
 * Appends a message to each conversation, with a delivery that is claimed for the caller, who calls the provider after
 * the commit. Returns the claims in the order of the messages.
 */
export const appendMessages = async (ctx: Ctx, batch: OutboundBatch): Promise<Claim[]> => {
  const { channelAccountId, senderType, senderId, shared } = batch
  const sharedGrams = bigramsOf(shared.body)
  const rows = batch.messages.map(({ conversation, own }) => ({
    ...placeIn(ctx, conversation),
    senderType,
    senderId,
    actor: recordedSender(senderId),
    status: 'queued' as const,
    hasAttachments: batch.hasAttachments ?? false,
    ...(own && { body: own.body, metadata: own.metadata }),
    grams: own ? bigramsOf(own.body) : sharedGrams,
  }))
  const claims = rows.map(
    ({ id, conversationId }): Claim => ({
      id: ctx.newId(),
      messageId: id,
      conversationId,
      channelAccountId,
      tries: 1,
      createdAt: ctx.now().toISOString(),
    }),
  )
  const templates = batch.messages.map(({ own }) => own?.template)
  const deliveries = claimedInsert(ctx, claims, { shared: shared.template, own: templates })
  await insertMessages(ctx, rows, {
    isBroadcast: true,
    shared,
    along: sql`, delivery as (${deliveries})`,
    answer: THEIR_IDS,
  })
  return claims
}
