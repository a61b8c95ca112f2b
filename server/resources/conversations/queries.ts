// All SQL of conversations and their messages.
import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../ctx.ts'
import type { ChannelName, ConversationStatus, MessageStatus, Metadata, SenderType } from '../../db/tables.ts'
import { ownedBy } from '../roles/own-conversations.ts'
import type { Message } from './schema.ts'
import { completed, type MessageRow, toMessage } from './thread-queries.ts'

export type LockedConversation = {
  id: string
  channel: ChannelName
  channelAccountId: string
  contactId: string
  status: ConversationStatus
  agentId: string | null
}

/**
 * The conversation, its contact's row and its own row locked until the transaction ends; undefined when the workspace
 * has none such, or the actor may not see it. Every write on a conversation begins here, always contact before conversation, so that two writers
 * wait for each other and never lock crosswise.
 */
export const lockConversation = async (
  { db, workspaceId, actor }: Ctx,
  id: string,
): Promise<LockedConversation | undefined> => {
  const { rows } = await sql<LockedConversation>`
    select c.id, c.channel, c.channel_account_id as "channelAccountId", c.contact_id as "contactId", c.status,
      c.agent_id as "agentId"
    from contacts k
    join conversations c on c.workspace_id = k.workspace_id and c.contact_id = k.id
    where c.workspace_id = ${workspaceId} and c.id = ${id}${ownedBy(actor, 'c')}
    for no key update of k, c`.execute(db)
  return rows[0]
}

/**
 * Sets the status. One that opens again comes without its agent when that one has left the workspace, so that it shows
 * among the unassigned and not nowhere. Returns who has it now.
 */
export const setConversationStatus = async (
  { db, workspaceId }: Ctx,
  id: string,
  status: ConversationStatus,
  at: Date,
): Promise<{ agentId: string | null }> => {
  const isHere = sql`exists (select from memberships m
    where m.workspace_id = c.workspace_id and m.account_id = c.agent_id and m.removed_at is null)`
  const { rows } = await sql<{ agentId: string | null }>`
    update conversations c set status = ${status}, updated_at = ${at},
      agent_id = case when ${status}::text = 'closed' or ${isHere} then agent_id end,
      assigned_at = case when ${status}::text = 'closed' or ${isHere} then assigned_at end
    where c.workspace_id = ${workspaceId} and c.id = ${id}
    returning agent_id as "agentId"`.execute(db)
  return rows[0]!
}

type SystemEntry = { conversation: LockedConversation; body: string; metadata: Record<string, unknown> }

/** A line in the thread that says what happened to the conversation. It is no message: lists and counts pass it over. */
export const insertSystemEntry = async (
  ctx: Ctx,
  { conversation, body, metadata }: SystemEntry,
): Promise<void> => {
  await ctx.db
    .insertInto('messages')
    .values({
      workspace_id: ctx.workspaceId,
      id: ctx.newId(),
      conversation_id: conversation.id,
      channel_account_id: conversation.channelAccountId,
      sender_type: 'system',
      sender_id: 'system',
      body,
      status: 'sent',
      metadata: JSON.stringify(metadata),
      created_at: ctx.now(),
    })
    .execute()
}

const lockedColumns = sql`id, channel, channel_account_id as "channelAccountId", contact_id as "contactId", status,
  agent_id as "agentId"`

/**
 * The open conversation of a contact on a channel account, else the most recent one, locked. The caller holds the
 * contact's row lock.
 */
export const lockContinuable = async (
  { db, workspaceId }: Ctx,
  contactId: string,
  channelAccountId: string,
): Promise<LockedConversation | undefined> => {
  const { rows } = await sql<LockedConversation>`
    select ${lockedColumns} from conversations
    where workspace_id = ${workspaceId} and contact_id = ${contactId} and channel_account_id = ${channelAccountId}
    order by (status = 'open') desc, updated_at desc, id desc
    limit 1
    for no key update`.execute(db)
  return rows[0]
}

/** The most recently active open conversation of a contact on a channel, locked. The caller holds the contact's lock. */
export const lockOpenOnChannel = async (
  { db, workspaceId }: Ctx,
  contactId: string,
  channel: ChannelName,
): Promise<(LockedConversation & { createdAt: string }) | undefined> => {
  const { rows } = await sql<LockedConversation & { createdAt: string }>`
    select ${lockedColumns}, created_at as "createdAt" from conversations
    where workspace_id = ${workspaceId} and contact_id = ${contactId} and channel = ${channel} and status = 'open'
    order by updated_at desc, id desc
    limit 1
    for no key update`.execute(db)
  return rows[0]
}

export type NewConversation = Pick<
  LockedConversation,
  'id' | 'channel' | 'channelAccountId' | 'contactId'
> & {
  subject: string | null
  at: Date
}

export const insertConversation = async ({ db, workspaceId }: Ctx, row: NewConversation): Promise<void> => {
  await db
    .insertInto('conversations')
    .values({
      workspace_id: workspaceId,
      id: row.id,
      channel: row.channel,
      channel_account_id: row.channelAccountId,
      contact_id: row.contactId,
      subject: row.subject,
      created_at: row.at,
      updated_at: row.at,
    })
    .execute()
}

export type NewMessage = {
  id: string
  conversation: LockedConversation
  senderType: Exclude<SenderType, 'system'>
  senderId: string
  body: string
  status: MessageStatus
  replyToMessageId: string | null
  replyQuote: string | null
  metadata: Metadata | null
  externalId: string | null
  at: Date
  /** When the customer wrote it, by the provider's clock; null for what goes out. */
  inboundAt: Date | null
}

/** The list shows the last message; what comes in may be longer than what the API sends, and it need not carry it all. */
const LAST_BODY_MAX = 2000

const shortened = (body: string): string =>
  body.length <= LAST_BODY_MAX ? body : [...body].slice(0, LAST_BODY_MAX).join('')

/** What else happens with a message, as parts of the one statement that stores it. */
type Along = Record<'contact' | 'grams' | 'event', RawBuilder<unknown>>

/**
 * Stores a message and makes it the conversation's last, with what happens along, in one statement: a round trip to
 * the database costs more than any of it. Undefined when the channel account has a message of that external id
 * already; the caller then rolls back, as the rest was done.
 */
export const insertMessage = async (
  ctx: Ctx,
  row: NewMessage,
  along: Along,
): Promise<Message | undefined> => {
  const { db, workspaceId } = ctx
  const { conversation } = row
  const { rows } = await sql<MessageRow>`
    with message as (
      insert into messages (workspace_id, id, conversation_id, channel_account_id, sender_type, sender_id, body,
        status, reply_to_message_id, reply_quote, metadata, external_id, created_at)
      values (${workspaceId}, ${row.id}, ${conversation.id}, ${conversation.channelAccountId}, ${row.senderType},
        ${row.senderId}, ${row.body}, ${row.status}, ${row.replyToMessageId}, ${row.replyQuote},
        ${row.metadata && JSON.stringify(row.metadata)}, ${row.externalId}, ${row.at})
      on conflict (workspace_id, channel_account_id, external_id) where external_id is not null do nothing
      returning *
    ), conversation as (
      update conversations c set
        last_message_id = m.id,
        last_message_body = ${shortened(row.body)},
        last_message_sender_id = m.sender_id,
        last_message_sender_type = m.sender_type,
        last_message_status = m.status,
        last_message_at = m.created_at,
        last_inbound_at = greatest(c.last_inbound_at, ${row.inboundAt}::timestamptz),
        unread_count = c.unread_count + ${row.inboundAt ? 1 : 0}::integer,
        updated_at = m.created_at
      from message m
      where c.workspace_id = ${workspaceId} and c.id = ${conversation.id}
    ), contact as (${along.contact}
    ), grams as (${along.grams}
    ), event as (${along.event}
    )
    ${completed(workspaceId, sql`message`)}`.execute(db)
  return rows[0] && toMessage(ctx, rows[0])
}

export const findMessageIdByExternalId = async (
  { db, workspaceId }: Ctx,
  channelAccountId: string,
  externalId: string,
): Promise<{ id: string; conversationId: string } | undefined> =>
  db
    .selectFrom('messages')
    .select(['id', 'conversation_id as conversationId'])
    .where('workspace_id', '=', workspaceId)
    .where('channel_account_id', '=', channelAccountId)
    .where('external_id', '=', externalId)
    .executeTakeFirst()

/** Which statuses a message may have to move to each other one, `failed` apart. Forward only. */
const MOVES_FROM = {
  sent: sql`m.status = 'queued' or m.status = 'failed' and m.metadata #>> '{error,code}' = 'DELIVERY_UNCONFIRMED'`,
  delivered: sql`m.status in ('queued', 'sent', 'failed')`,
  read: sql`m.status in ('queued', 'sent', 'delivered', 'failed')`,
  failed: sql`m.status in ('queued', 'sent')`,
} satisfies Record<Exclude<MessageStatus, 'queued'>, unknown>

/** Silence fails only what is silent: a message that the provider has spoken of meanwhile is left as it is. */
const FAILS_IN_SILENCE = sql`m.status = 'queued'`

export type DeliveryFailure = { code: string; message: string }
export type MovedMessage = {
  id: string
  conversationId: string
  contactId: string
  /** It went out with a broadcast, and its recipient there may have to follow. */
  isOfBroadcast: boolean
}

/**
 * Moves those of the messages that may move to a status, their conversations' lists with them, and settles their
 * deliveries. Returns those that moved.
 */
export const moveMessages = async (
  { db, workspaceId, now }: Ctx,
  ids: readonly string[],
  status: keyof typeof MOVES_FROM,
  failure: DeliveryFailure | null,
): Promise<MovedMessage[]> => {
  const isSilence = failure?.code === 'DELIVERY_UNCONFIRMED'
  const { rows } = await sql<MovedMessage>`
    with movable as (
      select m.id, m.metadata ? 'broadcastId' and (m.status in ('queued', 'failed') or ${status}::text = 'failed')
          as is_of_broadcast
      from messages m
      where m.workspace_id = ${workspaceId} and m.id = any(${ids}) and (${isSilence ? FAILS_IN_SILENCE : MOVES_FROM[status]})
      order by m.id
      for no key update
    ), moved as (
      update messages m set
        status = ${status},
        metadata = case when ${failure && JSON.stringify(failure)}::jsonb is null
          then nullif(m.metadata - 'error', '{}'::jsonb)
          else coalesce(m.metadata, '{}'::jsonb) || jsonb_build_object('error', ${failure && JSON.stringify(failure)}::jsonb) end
      from movable
      where m.workspace_id = ${workspaceId} and m.id = movable.id
      returning m.id, m.conversation_id, m.status, movable.is_of_broadcast
    ), shown as (
      update conversations c set last_message_status = moved.status
      from moved
      where c.workspace_id = ${workspaceId} and c.id = moved.conversation_id and c.last_message_id = moved.id
    ), settled as (
      update deliveries d set
        state = ${status === 'failed' ? 'refused' : 'accepted'}, updated_at = ${now()},
        error_code = ${failure?.code ?? null}, error_message = ${failure?.message ?? null}
      where d.workspace_id = ${workspaceId} and d.message_id = any(${ids})
        and (d.state in ('pending', 'unconfirmed') or d.error_code = 'DELIVERY_UNCONFIRMED')
        and (not ${isSilence}::boolean or d.message_id in (select id from movable))
        and not exists (select from deliveries n
          where n.workspace_id = d.workspace_id and n.message_id = d.message_id and n.id > d.id)
    )
    select moved.id, moved.conversation_id as "conversationId", c.contact_id as "contactId",
      coalesce(moved.is_of_broadcast, false) as "isOfBroadcast"
    from moved join conversations c on c.workspace_id = ${workspaceId} and c.id = moved.conversation_id`.execute(
    db,
  )
  return rows
}

/** A note, or anything else that is activity and no message, happened in the conversation. */
export const touchConversation = async ({ db, workspaceId }: Ctx, id: string, at: Date): Promise<void> => {
  await db
    .updateTable('conversations')
    .set({ updated_at: at })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

export const setAgent = async (
  { db, workspaceId }: Ctx,
  id: string,
  agentId: string | null,
  at: Date,
): Promise<void> => {
  await db
    .updateTable('conversations')
    .set({ agent_id: agentId, assigned_at: agentId && at, updated_at: at })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

export type Candidate = {
  id: string
  nickname: string
  isAi: boolean
  /** Null: never a member here. */
  isActiveHere: boolean | null
  isActiveElsewhere: boolean
}

/**
 * The account that an agent id (or `ai`) names, and where it belongs. A membership here is locked against removal until
 * the transaction ends, so that nobody is assigned to somebody who is leaving.
 */
export const lockCandidate = async (
  { db, workspaceId }: Ctx,
  agentId: string,
): Promise<Candidate | undefined> => {
  const { rows } = await sql<Candidate>`
    with here as (
      select account_id, removed_at is null as is_active from memberships
      where workspace_id = ${workspaceId}
        and account_id = (select id from accounts where ${agentId === 'ai' ? sql`is_ai` : sql`id = ${agentId}`})
      for share
    )
    select a.id, a.nickname, a.is_ai as "isAi", here.is_active as "isActiveHere",
      exists (select from memberships m
        where m.account_id = a.id and m.workspace_id <> ${workspaceId} and m.removed_at is null) as "isActiveElsewhere"
    from accounts a left join here on here.account_id = a.id
    where ${agentId === 'ai' ? sql`a.is_ai` : sql`a.id = ${agentId}`}`.execute(db)
  return rows[0]
}

/** Another open conversation of the contact where there may be only one, locked. The caller holds the contact's lock. */
export const lockOtherOpen = async (
  { db, workspaceId }: Ctx,
  { id, contactId, channelAccountId }: LockedConversation,
): Promise<LockedConversation | undefined> => {
  const { rows } = await sql<LockedConversation>`
    select ${lockedColumns} from conversations
    where workspace_id = ${workspaceId} and contact_id = ${contactId} and channel_account_id = ${channelAccountId}
      and status = 'open' and channel <> 'email' and id <> ${id}
    for no key update`.execute(db)
  return rows[0]
}
