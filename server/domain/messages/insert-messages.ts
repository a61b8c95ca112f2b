// The SQL that stores messages, whoever wrote them and however many there are.
import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { conflict } from '../../platform/db/failures.ts'
import { rowsOf } from '../../platform/db/rows-of.ts'
import type { MessageStatus, Metadata, SenderType } from '../../platform/db/tables.ts'
import { eventsInsert } from '../../platform/events/record.ts'
import { type AttachmentRow, attachmentsInsert } from '../attachments/queries.ts'
import { inputsInsert, type NewInput } from '../automation/inputs.ts'
import { activityUpdate } from '../contacts/counters.ts'
import { isHeld, placeOf } from '../conversations/inbox-place.ts'
import type { LockedConversation } from '../conversations/queries.ts'
import { completed } from '../conversations/thread-queries.ts'
import { seqOf } from '../conversations/unread.ts'
import { LAST_BODY_MAX } from '../deliveries/withdraw-deliveries.ts'
import { bigramsInsert } from '../search/bigrams.ts'
import { isAnswer, waitChangesOf } from './wait-changes.ts'

/** A message to append to a conversation whose contact's row the caller has locked. */
export type NewMessage = {
  id: string
  createdAt: Date
  conversationId: string
  channelAccountId: string
  contactId: string
  /** The conversation's agent, copied to the contact's row. */
  agentId: string | null
  /** Of the conversation, as its lock has them; left out by what starts and ends no wait. */
  teamId?: string | null
  teamRevision?: number | null
  isSnoozed?: boolean
  senderType: Exclude<SenderType, 'system'>
  senderId: string
  /** For its event, as recordedActor writes it, if the context's actor didn't write it. */
  actor?: string
  /** For its event, if the current trace isn't its own. */
  traceparent?: string | null
  status: MessageStatus
  /** Omitted if it is the shared body. */
  body?: string
  metadata?: Metadata | null
  replyToMessageId?: string | null
  replyQuote?: string | null
  /** The provider's id, unique on the channel account. */
  externalId?: string | null
  /** When the customer wrote it, by the provider's clock; null for what goes out. */
  inboundAt?: Date | null
  /** The conversation was reopened for this message. */
  isReopening?: boolean
  /** A customer's message that starts no flow. */
  startsNothing?: boolean
  grams: readonly string[]
  /** With `attachments`, or bound to it later in the transaction. */
  hasAttachments?: boolean
  attachments?: readonly AttachmentRow[]
}

/** Where a conversation's next message goes. */
export const placeIn = (ctx: Ctx, conversation: LockedConversation) => {
  const { id, channelAccountId, contactId, agentId, teamId, teamRevision, isSnoozed, lastMessageId } =
    conversation
  const messageId = ctx.newId(lastMessageId)
  return {
    id: messageId,
    createdAt: ctx.createdAt(messageId),
    conversationId: id,
    channelAccountId,
    contactId,
    agentId,
    teamId,
    teamRevision,
    isSnoozed,
  }
}

type Options<R> = {
  /** The messages are of a broadcast, which does not count as activity in the inbox. */
  isBroadcast?: boolean
  /** The content of messages without a body of their own, sent to the database once. */
  shared?: { body: string; metadata: Metadata }
  /** Written in the same statement. */
  along?: RawBuilder<unknown>
  /** What to read of each stored message, from the CTE `message`. */
  answer: RawBuilder<R>
}

export const THEIR_IDS = sql<{ id: string }>`select id from message`

/** The messages as shown, without attachments: those stored in the same statement are not visible yet. */
export const asShown = ({ workspaceId }: Ctx) => completed(workspaceId, sql`message`)

const NOTHING = sql``

/**
 * Stores messages in order, with all side effects, in one statement: the conversations' last message and unread count,
 * the contacts' activity, the search index, attachments, inputs for automation, events. A round trip to the database
 * costs more than any of them. If a channel account already has a message with one of the external ids, the transaction
 * is retried (inTransaction): callers that pass an external id look it up first.
 */
export const insertMessages = async <R>(
  ctx: Ctx,
  messages: readonly NewMessage[],
  { isBroadcast = false, shared, along = NOTHING, answer }: Options<R>,
): Promise<R[]> => {
  const { db, workspaceId } = ctx
  const attachments = messages.flatMap(({ attachments = [] }) => attachments)
  const inbound = messages.flatMap(inputOf)
  // A broadcast answers nobody.
  const waits = isBroadcast ? undefined : await waitChangesOf(ctx, messages)
  const { rows } = await sql<R>`
    with input as (
      select * from ${rowsOf(marked(messages))} as m (
        id text, "createdAt" timestamptz, "conversationId" text, "channelAccountId" text, "contactId" text,
        "agentId" text, "senderType" text, "senderId" text, status text, body text, metadata jsonb,
        "replyToMessageId" text, "replyQuote" text, "externalId" text, unread integer, "lastInboundAt" timestamptz,
        "openDelta" integer, "isAnswer" boolean, "waitsFrom" timestamptz)
    ), ${waits?.ctes ?? NOTHING}message as (
      insert into messages (workspace_id, id, conversation_id, channel_account_id, sender_type, sender_id, body,
        status, reply_to_message_id, reply_quote, metadata, external_id, created_at)
      select ${workspaceId}, id, "conversationId", "channelAccountId", "senderType", "senderId",
        coalesce(body, ${shared?.body ?? null}::text), status, "replyToMessageId", "replyQuote",
        coalesce(nullif(metadata, 'null'::jsonb), ${shared ? JSON.stringify(shared.metadata) : null}::jsonb),
        "externalId", "createdAt"
      from input
      order by id
      on conflict (workspace_id, channel_account_id, external_id) where external_id is not null do nothing
      returning *
    ), conversation as (
      update conversations c set
        last_message_id = i.id,
        last_message_body = left(coalesce(i.body, ${shared?.body ?? null}::text), ${LAST_BODY_MAX}::integer),
        last_message_sender_id = i."senderId",
        last_message_sender_type = i."senderType",
        last_message_status = i.status,
        last_message_at = i."createdAt",
        last_inbound_at = greatest(c.last_inbound_at, i."lastInboundAt"),
        unread_count = c.unread_count + i.unread,
        inbound_seq = ${sql.raw(seqOf('c'))} + i.unread,
        ${isBroadcast ? HELD : WAITING},
        snoozed_until = case when i.unread = 0 then c.snoozed_until end,
        updated_at = i."createdAt"${waits?.columns ?? NOTHING}
      from input i${waits?.join ?? NOTHING}
      where c.workspace_id = ${workspaceId} and c.id = i."conversationId" and i.unread is not null
    ), contact as (${activityUpdate(ctx, LAST_OF_CONTACTS)}
    )${messages.some(({ grams }) => grams.length > 0) ? sql`, gram as (${bigramsInsert(ctx, messages)})` : NOTHING}
    ${attachments.length > 0 ? sql`, attachment as (${attachmentsInsert(ctx, attachments, ctx.now())})` : NOTHING}
    ${inbound.length > 0 ? sql`, automation_input as (${inputsInsert(ctx, inbound)})` : NOTHING}
    ${along}, event as (${eventsInsert(ctx, messages.map(isBroadcast ? broadcastEvent : createdEvent))})
    ${answer}`.execute(db)
  if (rows.length !== messages.length) throw conflict('a message of this external id was stored meanwhile')
  return rows
}

/** The inbox keeps a conversation where it was, and what it shows of it, until something else happens there. */
const HELD = sql.raw(`held_until = i."createdAt", held_at = ${placeOf('c.')},
        held_message_id = case when ${isHeld('c.')} then c.held_message_id else c.last_message_id end`)

const WAITING = sql`waiting_since = coalesce(case when not i."isAnswer" then c.waiting_since end, i."waitsFrom")`

/** What a customer writes is for automation to look at. */
const inputOf = (message: NewMessage): NewInput[] => {
  const { id, conversationId, agentId, senderType, isReopening, startsNothing } = message
  if (senderType !== 'customer') return []
  return [
    {
      kind: 'message',
      conversationId,
      messageId: id,
      ...(isReopening && { data: { isReopening } }),
      ...(startsNothing && { onlyIfBusy: { agentId } }),
    },
  ]
}

const LAST_OF_CONTACTS = sql`(
  select "contactId", "conversationId", "agentId", "createdAt" as at, "openDelta" from input
  where "openDelta" is not null)`

type Change = {
  lastId: string
  unread: number
  lastInboundAt: Date | null
  /** Somebody replied, and since when the customer has waited after that. */
  isAnswer: boolean
  waitsFrom: Date | null
}
const NO_CHANGE = { unread: 0, lastInboundAt: null, isAnswer: false, waitsFrom: null }

/** The last message of each conversation carries the combined changes to it, and likewise for each contact. */
const marked = (messages: readonly NewMessage[]) => {
  const inConversation = new Map<string, Change>()
  const ofContact = new Map<string, { lastId: string; openDelta: number }>()
  for (const message of messages) {
    const { id, createdAt, conversationId, contactId, inboundAt = null, isReopening } = message
    const { unread, lastInboundAt, ...turn } = inConversation.get(conversationId) ?? NO_CHANGE
    const hasAnswer = isAnswer(message)
    inConversation.set(conversationId, {
      lastId: id,
      unread: unread + (inboundAt ? 1 : 0),
      lastInboundAt:
        inboundAt && lastInboundAt && lastInboundAt > inboundAt
          ? lastInboundAt
          : (inboundAt ?? lastInboundAt),
      isAnswer: turn.isAnswer || hasAnswer,
      waitsFrom: hasAnswer ? null : (turn.waitsFrom ?? (inboundAt && createdAt)),
    })
    const { openDelta = 0 } = ofContact.get(contactId) ?? {}
    ofContact.set(contactId, { lastId: id, openDelta: openDelta + (isReopening ? 1 : 0) })
  }
  return messages.map(({ grams: _, attachments: __, inboundAt: ___, isReopening: ____, ...message }) => {
    const { lastId, ...conversation } = inConversation.get(message.conversationId)!
    const contact = ofContact.get(message.contactId)!
    return {
      ...message,
      ...(message.id === lastId && conversation),
      ...(message.id === contact.lastId && { openDelta: contact.openDelta }),
    }
  })
}

const createdEvent = ({
  id,
  conversationId,
  contactId,
  senderType,
  actor,
  traceparent,
  hasAttachments = false,
  replyToMessageId = null,
}: NewMessage) => ({
  type: 'message.created' as const,
  conversationId,
  contactId,
  ...(actor && { actor }),
  ...(traceparent && { traceparent }),
  data: {
    messageId: id,
    senderType,
    direction: senderType === 'customer' ? ('inbound' as const) : ('outbound' as const),
    hasAttachments,
    replyToMessageId,
  },
})

const broadcastEvent = (message: NewMessage) => {
  const event = createdEvent(message)
  return { ...event, data: { ...event.data, isBroadcast: true as const } }
}
