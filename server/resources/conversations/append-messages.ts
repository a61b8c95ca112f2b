// Many outbound messages at once, of conversations each: what append-message.ts and queue-delivery.ts do for one, in one
// statement. For broadcasts, whose messages are mostly the same: what they share goes to the database once.
import { sql } from 'kysely'
import type { OutboundTemplate } from '../../../channels/channel.ts'
import type { Ctx } from '../../ctx.ts'
import type { Metadata } from '../../db/tables.ts'
import { recordedMany } from '../../events/record.ts'
import { activitiesUpdate } from '../contacts/counters.ts'
import type { Claim } from './delivery-queries.ts'
import { gramsOf } from './grams.ts'
import type { LockedConversation } from './queries.ts'
import { gramRows, LAST_BODY_MAX } from './receive-queries.ts'

export type MessageContent = { body: string; metadata: Metadata; template: OutboundTemplate }

export type OutboundBatch = {
  channelAccountId: string
  senderType: 'agent' | 'automation'
  senderId: string
  /** What a message without a content of its own says. */
  shared: MessageContent
  messages: readonly {
    /** Its contact's row is locked by the caller, in this transaction. No conversation comes twice. */
    conversation: LockedConversation
    own: MessageContent | null
  }[]
}

/**
 * Puts a message at the end of each conversation, with a delivery that the caller has claimed: it calls the provider
 * once this is committed. Returns the claims in the order of the messages.
 */
export const appendMessages = async (ctx: Ctx, batch: OutboundBatch): Promise<Claim[]> => {
  const { channelAccountId, shared } = batch
  const at = ctx.now()
  const rows = batch.messages.map(({ conversation, own }) => ({
    id: ctx.newId(),
    deliveryId: ctx.newId(),
    conversationId: conversation.id,
    contactId: conversation.contactId,
    agentId: conversation.agentId,
    ...own,
  }))
  const sharedGrams = gramsOf(shared.body)
  const grams = batch.messages.flatMap(({ conversation: { id }, own }) =>
    (own ? gramsOf(own.body) : sharedGrams).map((gram) => ({ conversationId: id, gram })),
  )
  const events = rows.map(({ id, conversationId, contactId }) => ({
    type: 'message.created' as const,
    conversationId,
    contactId,
    data: { messageId: id, senderType: batch.senderType },
  }))
  await sql`
    with input as (
      select id, "deliveryId", "conversationId", "contactId", "agentId", coalesce(body, ${shared.body}) as body,
        coalesce(metadata, ${JSON.stringify(shared.metadata)}::jsonb) as metadata,
        coalesce(template, ${JSON.stringify(shared.template)}::jsonb) as template
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as m (
        id text, "deliveryId" text, "conversationId" text, "contactId" text, "agentId" text, body text,
        metadata jsonb, template jsonb)
    ), message as (
      insert into messages (workspace_id, id, conversation_id, channel_account_id, sender_type, sender_id, body,
        status, metadata, created_at)
      select ${ctx.workspaceId}, id, "conversationId", ${channelAccountId}, ${batch.senderType}, ${batch.senderId},
        body, 'queued', metadata, ${at}
      from input
      order by id
    ), delivery as (
      insert into deliveries (workspace_id, id, message_id, conversation_id, channel_account_id, state, tries,
        template, not_before, claimed_at, created_at, updated_at)
      select ${ctx.workspaceId}, "deliveryId", id, "conversationId", ${channelAccountId}, 'sending', 1,
        template, ${at}, ${at}, ${at}, ${at}
      from input
      order by id
    ), conversation as (
      update conversations c set
        last_message_id = input.id,
        last_message_body = left(input.body, ${LAST_BODY_MAX}::integer),
        last_message_sender_id = ${batch.senderId},
        last_message_sender_type = ${batch.senderType},
        last_message_status = 'queued',
        last_message_at = ${at},
        updated_at = ${at}
      from input
      where c.workspace_id = ${ctx.workspaceId} and c.id = input."conversationId"
    ), contact as (${activitiesUpdate(ctx, sql`input`, at)}
    ), gram as (${gramRows(ctx, grams)}
    )
    ${recordedMany(ctx, events)}`.execute(ctx.db)
  return rows.map(({ id, deliveryId, conversationId }) => ({
    id: deliveryId,
    messageId: id,
    conversationId,
    channelAccountId,
    tries: 1,
    createdAt: at.toISOString(),
  }))
}
