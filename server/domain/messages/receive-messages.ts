// Stores what customers wrote, on any channel, and what the business wrote to them elsewhere.
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import type { ChannelName, Metadata } from '../../platform/db/tables.ts'
import { cleanFileName } from '../../platform/files/file-name.ts'
import { bindStored, queueFetches } from '../attachments/attach.ts'
import type { NewAttachment } from '../attachments/queries.ts'
import { interruptAutomation, PAUSED_MS } from '../automation/interrupt.ts'
import { liveFlowsOf } from '../automation/live-flows.ts'
import { mayStartSomething } from '../automation/may-start.ts'
import { handOut } from '../conversations/hand-out.ts'
import { openConversations } from '../conversations/open-conversations.ts'
import { findContinuable } from '../conversations/open-queries.ts'
import type { LockedConversation } from '../conversations/queries.ts'
import { reopen } from '../conversations/reopen.ts'
import type { Message } from '../conversations/schema.ts'
import { findMessage, toMessage } from '../conversations/thread-queries.ts'
import { type ResolveContactInput, resolveContact } from '../people/resolve-contact.ts'
import { bigramsOf } from '../search/bigrams.ts'
import { nameTap } from './choices.ts'
import { asShown, insertMessages, type NewMessage, placeIn, THEIR_IDS } from './insert-messages.ts'
import { findStored } from './receive-queries.ts'

export type ReceivedMessage = {
  channelAccountId: string
  /** Resolved in this transaction, the row locked. */
  contact: { id: string; name: string; email: string | null }
  /** `outbound`: someone at the business wrote it elsewhere. It opens no reply window and reopens nothing. */
  direction: 'inbound' | 'outbound'
  /** The author of an outbound message. */
  senderId?: string
  body: string
  /** The provider's id, unique on the channel account. Null if there is none; repeats are then not detected. */
  externalId: string | null
  /** The provider's own time, no later than now. */
  sentAt: Date
  metadata?: Metadata | null
  /** The message that it replies to, if that is known. */
  replyToMessageId?: string
  /** The provider's id of the message that it replies to, which we may not have. */
  replyToExternalId?: string | null
  /** The part that the customer quoted, or the quoted text if we may not have the message. */
  replyQuote?: string | null
  /** Files that the provider still has, and attachments that aren't files, such as a location. */
  attachments?: readonly NewAttachment[]
  /** Contents kept by storeAttachment before this transaction. */
  attachmentIds?: readonly string[]
}

export type Received = { id: string; conversationId: string; isRepeat: boolean }

/** The longest quote kept with a reply. */
const QUOTE_MAX = 500

const keyOf = (...parts: string[]): string => parts.join('\n')

/**
 * Stores messages in order, each in the contact's open conversation on the channel account, else in the most recent one
 * there (which an inbound message reopens, keeping its assignment), else in a new one. A message already stored (the
 * same external id on the account) changes nothing. Runs in the caller's transaction, in a number of statements that
 * does not grow with the messages. Returns where each message is.
 */
export const receiveMessages = (
  ctx: Ctx,
  channel: ChannelName,
  messages: readonly ReceivedMessage[],
): Promise<Received[]> =>
  inTransaction(ctx, async (ctx) => {
    const { places, rows, spokenIn, writtenIn } = await findPlaces(ctx, channel, messages)
    await interruptAutomation(ctx, spokenIn, {
      by: rows.find(({ senderType }) => senderType === 'agent')?.senderId ?? 'system',
      reason: 'person_took_over',
      pause: 'start',
    })
    if (rows.length > 0) await insertMessages(ctx, rows, { answer: THEIR_IDS })
    await addContents(ctx, messages, places, rows)
    await handOut(ctx, writtenIn)
    return places
  })

export type InboundMessage = Omit<ReceivedMessage, 'contact' | 'direction'> & {
  channel: ChannelName
  from: ResolveContactInput
}

/** Stores one message from whoever holds an identity, and returns it as shown; a repeat is returned as stored. */
export const receiveMessage = (
  ctx: Ctx,
  { channel, from, ...input }: InboundMessage,
): Promise<{ message: Message; conversationId: string; contactId: string; isRepeat: boolean }> =>
  inTransaction(ctx, async (ctx) => {
    const contact = await resolveContact(ctx, from)
    const messages = [{ ...input, contact, direction: 'inbound' as const }]
    const { places, rows, writtenIn } = await findPlaces(ctx, channel, messages)
    const [stored] = rows.length > 0 ? await insertMessages(ctx, rows, { answer: asShown(ctx) }) : []
    await addContents(ctx, messages, places, rows)
    await handOut(ctx, writtenIn)
    const { id, conversationId, isRepeat } = places[0]!
    const hasFiles = Boolean(input.attachments?.length || input.attachmentIds?.length)
    const message = stored && !hasFiles ? toMessage(ctx, stored) : await findMessage(ctx, id)
    if (!message) throw new Error(`message ${id} was stored and is not there`)
    return { message, conversationId, contactId: contact.id, isRepeat }
  })

/**
 * Where each message is, or will be, and the rows of the new ones. `spokenIn`: the conversations in which someone at
 * the business wrote elsewhere, and not so long ago that automation would be back. `writtenIn`: those in which the
 * customer wrote.
 */
const findPlaces = async (
  ctx: Ctx,
  channel: ChannelName,
  messages: readonly ReceivedMessage[],
): Promise<{
  places: Received[]
  rows: NewMessage[]
  spokenIn: string[]
  writtenIn: LockedConversation[]
}> => {
  const known = await findKnown(ctx, messages)
  const isNew = messages.map(() => true)
  const taken = new Set<string>()
  for (const [index, { channelAccountId, externalId }] of messages.entries()) {
    if (externalId === null) continue
    const key = keyOf(channelAccountId, externalId)
    isNew[index] = !known.has(key) && !taken.has(key)
    taken.add(key)
  }
  const conversations = await findConversations(
    ctx,
    channel,
    messages.filter((_, index) => isNew[index]),
  )
  // The same in each, because it is the workspace's.
  const revision = [...conversations.values()][0]?.conversation.automationRevision ?? null
  const live = revision === null ? null : await liveFlowsOf(ctx, revision)
  const rows: NewMessage[] = []
  const spokenIn = new Set<string>()
  const writtenIn = new Set<LockedConversation>()
  const spokenAfter = ctx.now().getTime() - PAUSED_MS
  const places = messages.map((message, index): Received => {
    const { contact, channelAccountId, direction, externalId } = message
    const stored = externalId === null ? undefined : known.get(keyOf(channelAccountId, externalId))
    if (!isNew[index]) return { id: stored!.id, conversationId: stored!.conversationId, isRepeat: true }
    const place = conversations.get(keyOf(contact.id, channelAccountId))
    if (!place) throw new Error('a message without a conversation')
    const quoted = message.replyToExternalId
      ? known.get(keyOf(channelAccountId, message.replyToExternalId))
      : undefined
    const { body, metadata = null } = nameTap(ctx, message, quoted?.choices)
    const row: NewMessage = {
      ...placeIn(ctx, place.conversation),
      senderType: direction === 'inbound' ? 'customer' : 'agent',
      senderId: direction === 'inbound' ? contact.id : (message.senderId ?? 'system'),
      ...(direction === 'outbound' && { actor: 'system' }),
      status: 'sent',
      body,
      replyToMessageId: message.replyToMessageId ?? quoted?.id ?? null,
      replyQuote: [...(message.replyQuote ?? quoted?.body ?? '')].slice(0, QUOTE_MAX).join('') || null,
      metadata,
      externalId,
      inboundAt: direction === 'inbound' ? message.sentAt : null,
      isReopening: place.isReopened,
      hasAttachments: Boolean(message.attachments?.length || message.attachmentIds?.length),
      grams: bigramsOf(body),
    }
    if (live && direction === 'inbound' && !place.isStarting) {
      const isFirst = place.conversation.lastMessageId === null
      const { isReopened: isReopening } = place
      place.isStarting = mayStartSomething(live, {
        channel,
        channelAccountId,
        body,
        metadata,
        isFirst,
        isReopening,
      })
      row.startsNothing = !place.isStarting
    }
    place.isReopened = false
    if (direction === 'outbound' && revision !== null && message.sentAt.getTime() > spokenAfter)
      spokenIn.add(row.conversationId)
    row.attachments = (message.attachments ?? []).map((attachment) => ({
      ...attachment,
      name: cleanFileName(attachment.name, attachment.type),
      id: ctx.newId(),
      messageId: row.id,
    }))
    rows.push(row)
    if (direction === 'inbound') writtenIn.add(place.conversation)
    // So that replies and repeats in the same batch find it.
    if (externalId !== null) known.set(keyOf(channelAccountId, externalId), { ...row, body, choices: null })
    return { id: row.id, conversationId: row.conversationId, isRepeat: false }
  })
  return { places, rows, spokenIn: [...spokenIn], writtenIn: [...writtenIn] }
}

/** The stored rows of the messages and of those they reply to, by account and external id. */
const findKnown = async (ctx: Ctx, messages: readonly ReceivedMessage[]) => {
  const wanted = messages.flatMap(({ channelAccountId, externalId, replyToExternalId }) =>
    [externalId, replyToExternalId].flatMap((id) => (id ? [{ channelAccountId, externalId: id }] : [])),
  )
  const rows = wanted.length > 0 ? await findStored(ctx, wanted, QUOTE_MAX) : []
  return new Map(
    rows.map(({ channelAccountId, externalId, ...row }) => [keyOf(channelAccountId, externalId), row]),
  )
}

/** `isStarting`: one of the messages may start a flow, which the next may answer. */
type Place = { conversation: LockedConversation; isReopened: boolean; isStarting: boolean }

/** The conversation of each contact and account, opened or reopened if needed. */
const findConversations = async (
  ctx: Ctx,
  channel: ChannelName,
  messages: readonly ReceivedMessage[],
): Promise<Map<string, Place>> => {
  const groups = Map.groupBy(messages, ({ contact, channelAccountId }) => keyOf(contact.id, channelAccountId))
  const firsts = [...groups.values()].map(([first]) => first!)
  if (firsts.length === 0) return new Map()
  const found = await findContinuable(
    ctx,
    firsts.map(({ contact, channelAccountId }) => ({ contactId: contact.id, channelAccountId })),
  )
  const placeOf = ({ contactId, channelAccountId }: LockedConversation) => keyOf(contactId, channelAccountId)
  const known = new Set(found.map(placeOf))
  const opened = await openConversations(
    ctx,
    channel,
    firsts
      .filter(({ contact, channelAccountId }) => !known.has(keyOf(contact.id, channelAccountId)))
      .map(({ contact, channelAccountId, direction }) => ({
        contact,
        channelAccountId,
        origin: direction === 'inbound' ? 'customer' : 'agent',
      })),
  )
  const places = new Map<string, Place>()
  for (const conversation of [...found, ...opened]) {
    const key = placeOf(conversation)
    const isReopened =
      conversation.status === 'closed' && groups.get(key)!.some(({ direction }) => direction === 'inbound')
    places.set(key, {
      conversation: isReopened ? await reopen(ctx, conversation) : conversation,
      isReopened,
      isStarting: false,
    })
  }
  return places
}

/** Attaches what came with the messages, and queues downloads of what the provider still has. */
const addContents = async (
  ctx: Ctx,
  messages: readonly ReceivedMessage[],
  places: readonly Received[],
  rows: readonly NewMessage[],
): Promise<void> => {
  for (const [index, { id, isRepeat }] of places.entries())
    if (!isRepeat) await bindStored(ctx, id, messages[index]!.attachmentIds ?? [])
  await queueFetches(
    ctx,
    rows.flatMap(({ attachments = [] }) => attachments),
  )
}
