// Many messages at once, from adapters whose providers send them in batches: what receive-message.ts does for one, in a
// number of statements that does not grow with the messages.
import { type Ctx, inTransaction } from '../../ctx.ts'
import type { ChannelName, Metadata } from '../../db/tables.ts'
import { recordedMany } from '../../events/record.ts'
import { cleanFileName } from '../../files/file-name.ts'
import { bindStored, queueFetches } from '../attachments/attach.ts'
import type { NewAttachment } from '../attachments/queries.ts'
import { activitiesUpdate, noteActivity } from '../contacts/counters.ts'
import type { ResolvedPerson } from '../contacts/resolve-people.ts'
import { gramsOf } from './grams.ts'
import { openConversations } from './open-conversations.ts'
import type { LockedConversation } from './queries.ts'
import { reopen } from './receive-message.ts'
import { findContinuable, findStored, insertReceived, type ReceivedRow } from './receive-queries.ts'

export type ReceivedMessage = {
  channelAccountId: string
  /** Resolved in this transaction, the row locked. */
  contact: ResolvedPerson
  /** `outbound`: somebody of the business wrote it elsewhere. It opens no reply window and reopens nothing. */
  direction: 'inbound' | 'outbound'
  /** Who wrote an outbound one. */
  senderId?: string
  body: string
  externalId: string
  /** The provider's own time, no later than now. */
  sentAt: Date
  metadata: Metadata | null
  /** The provider's id of the message that is answered, which we may not have. */
  replyToExternalId: string | null
  /** What of it the customer picked out, or what it says where we may not have it. */
  replyQuote?: string | null
  attachments: readonly NewAttachment[]
  /** Contents that came with it: storeAttachment kept them before this transaction. */
  attachmentIds?: readonly string[]
}

/** The longest quote kept beside an answer. */
const QUOTE_MAX = 500
const SERIALIZATION_FAILURE = '40001'

const keyOf = (...parts: string[]): string => parts.join('\n')

/**
 * Stores messages in their order, each in the contact's open conversation on the channel account, else in the most
 * recent one there (which an inbound one reopens, keeping its assignment), else in a new one. What is stored already
 * (the same external id on the account) is passed over. In the caller's transaction. Returns those that were new.
 */
export const receiveMessages = (
  ctx: Ctx,
  channel: ChannelName,
  messages: readonly ReceivedMessage[],
): Promise<ReceivedMessage[]> =>
  inTransaction(ctx, async (ctx) => {
    const stored = await findKnown(ctx, messages)
    const fresh: ReceivedMessage[] = []
    const taken = new Set<string>()
    for (const message of messages) {
      const key = keyOf(message.channelAccountId, message.externalId)
      if (stored.has(key) || taken.has(key)) continue
      taken.add(key)
      fresh.push(message)
    }
    if (fresh.length === 0) return fresh
    const conversations = await findConversations(ctx, channel, fresh)
    const at = ctx.now()
    const rows: ReceivedRow[] = []
    const contents: { messageId: string; ids: readonly string[] }[] = []
    /** Of this very batch, for those that answer them. */
    const earlier = new Map<string, { id: string; body: string }>()
    for (const message of fresh) {
      const { contact, channelAccountId, direction, externalId } = message
      const conversation = conversations.get(keyOf(contact.id, channelAccountId))
      if (!conversation) throw new Error('a message without a conversation')
      const quoteKey = message.replyToExternalId && keyOf(channelAccountId, message.replyToExternalId)
      const quoted = quoteKey ? (earlier.get(quoteKey) ?? stored.get(quoteKey)) : undefined
      const id = ctx.newId()
      earlier.set(keyOf(channelAccountId, externalId), { id, body: message.body })
      rows.push({
        id,
        conversationId: conversation.id,
        channelAccountId,
        contactId: contact.id,
        agentId: conversation.agentId,
        senderType: direction === 'inbound' ? 'customer' : 'agent',
        senderId: direction === 'inbound' ? contact.id : (message.senderId ?? 'system'),
        body: message.body,
        replyToMessageId: quoted?.id ?? null,
        replyQuote: [...(message.replyQuote ?? quoted?.body ?? '')].slice(0, QUOTE_MAX).join('') || null,
        metadata: message.metadata,
        externalId,
        inboundAt: direction === 'inbound' ? message.sentAt : null,
        grams: gramsOf(message.body),
        attachments: message.attachments.map((attachment) => ({
          ...attachment,
          name: cleanFileName(attachment.name, attachment.type),
          id: ctx.newId(),
          messageId: id,
        })),
      })
      if (message.attachmentIds?.length) contents.push({ messageId: id, ids: message.attachmentIds })
    }
    const count = await insertReceived(ctx, rows, at, {
      contact: (from) => activitiesUpdate(ctx, from, at),
      event: recordedMany(
        ctx,
        rows.map(({ id, conversationId, contactId, senderType }) => ({
          type: 'message.created',
          conversationId,
          contactId,
          data: { messageId: id, senderType },
        })),
      ),
    })
    // Somebody stored one of them since we looked; the next try will find it.
    if (count !== rows.length)
      throw Object.assign(new Error('a message of this external id was stored meanwhile'), {
        code: SERIALIZATION_FAILURE,
      })
    for (const { messageId, ids } of contents) await bindStored(ctx, messageId, ids)
    await queueFetches(
      ctx,
      rows.flatMap(({ attachments }) => attachments),
    )
    return fresh
  })

/** What is stored of the messages and of those that they answer, by account and external id. */
const findKnown = async (ctx: Ctx, messages: readonly ReceivedMessage[]) => {
  const wanted = messages.flatMap(({ channelAccountId, externalId, replyToExternalId }) => [
    { channelAccountId, externalId },
    ...(replyToExternalId ? [{ channelAccountId, externalId: replyToExternalId }] : []),
  ])
  const rows = await findStored(ctx, wanted, QUOTE_MAX)
  return new Map(rows.map((row) => [keyOf(row.channelAccountId, row.externalId), row]))
}

/** The conversation of each contact and account, opened or reopened where that is needed. */
const findConversations = async (
  ctx: Ctx,
  channel: ChannelName,
  messages: readonly ReceivedMessage[],
): Promise<Map<string, LockedConversation>> => {
  const groups = Map.groupBy(messages, ({ contact, channelAccountId }) => keyOf(contact.id, channelAccountId))
  const firsts = [...groups.values()].map(([first]) => first!)
  const found = await findContinuable(
    ctx,
    firsts.map(({ contact, channelAccountId }) => ({ contactId: contact.id, channelAccountId })),
  )
  const conversations = new Map(
    found.map((conversation) => [
      keyOf(conversation.contactId, conversation.channelAccountId),
      conversation as LockedConversation,
    ]),
  )
  const opened = await openConversations(
    ctx,
    channel,
    firsts.filter(({ contact, channelAccountId }) => !conversations.has(keyOf(contact.id, channelAccountId))),
  )
  for (const conversation of opened)
    conversations.set(keyOf(conversation.contactId, conversation.channelAccountId), conversation)
  for (const [key, members] of groups) {
    const conversation = conversations.get(key)!
    if (conversation.status !== 'closed' || !members.some(({ direction }) => direction === 'inbound'))
      continue
    const reopened = await reopen(ctx, conversation)
    conversations.set(key, reopened)
    await noteActivity(ctx, reopened.contactId, {
      conversationId: reopened.id,
      agentId: reopened.agentId,
      at: ctx.now(),
      openDelta: 1,
    })
  }
  return conversations
}
