// The SQL of messages that come in by batches. Each statement takes its rows as one parameter.
import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../ctx.ts'
import type { Metadata, SenderType } from '../../db/tables.ts'
import { type AttachmentRow, attachmentsInsert } from '../attachments/queries.ts'
import type { LockedConversation } from './queries.ts'

type ExternalRef = { channelAccountId: string; externalId: string }

/** Those messages that are stored, with the beginning of their text. */
export const findStored = async (
  { db, workspaceId }: Ctx,
  refs: readonly ExternalRef[],
  bodyMax: number,
): Promise<(ExternalRef & { id: string; body: string })[]> => {
  const { rows } = await sql<ExternalRef & { id: string; body: string }>`
    select m.id, m.channel_account_id as "channelAccountId", m.external_id as "externalId",
      left(m.body, ${bodyMax}::integer) as body
    from unnest(
      ${refs.map(({ channelAccountId }) => channelAccountId)}::text[],
      ${refs.map(({ externalId }) => externalId)}::text[]
    ) q (account, external)
    join messages m on m.workspace_id = ${workspaceId} and m.channel_account_id = q.account
      and m.external_id = q.external and m.external_id is not null`.execute(db)
  return rows
}

/**
 * For each contact and account the open conversation, else the most recent one. The caller holds the contacts' row
 * locks, without which nobody changes their conversations.
 */
export const findContinuable = async (
  { db, workspaceId }: Ctx,
  pairs: readonly { contactId: string; channelAccountId: string }[],
): Promise<LockedConversation[]> => {
  const { rows } = await sql<LockedConversation>`
    select c.id, c.channel, c.channel_account_id as "channelAccountId", c.contact_id as "contactId", c.status,
      c.agent_id as "agentId"
    from unnest(
      ${pairs.map(({ contactId }) => contactId)}::text[],
      ${pairs.map(({ channelAccountId }) => channelAccountId)}::text[]
    ) q (contact, account)
    cross join lateral (
      select * from conversations
      where workspace_id = ${workspaceId} and contact_id = q.contact and channel_account_id = q.account
      order by (status = 'open') desc, updated_at desc, id desc
      limit 1
    ) c`.execute(db)
  return rows
}

export const insertConversations = async (
  { db, workspaceId }: Ctx,
  rows: readonly LockedConversation[],
  at: Date,
): Promise<void> => {
  await sql`
    insert into conversations (workspace_id, id, channel, channel_account_id, contact_id, created_at, updated_at)
    select ${workspaceId}, id, channel, "channelAccountId", "contactId", ${at}, ${at}
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as c (id text, channel text, "channelAccountId" text, "contactId" text)
    order by id`.execute(db)
}

type GramRow = { conversationId: string; gram: string }

export const gramRows = ({ workspaceId }: Pick<Ctx, 'workspaceId'>, rows: readonly GramRow[]) => sql`
  insert into conversation_grams (workspace_id, gram, conversation_id)
  select distinct ${workspaceId}::text, gram collate "C" as g, "conversationId" collate "C" as c
  from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as g (gram text, "conversationId" text)
  order by g, c
  on conflict do nothing`

export const insertConversationGrams = async (ctx: Ctx, rows: readonly GramRow[]): Promise<void> => {
  await gramRows(ctx, rows).execute(ctx.db)
}

export type ReceivedRow = {
  id: string
  conversationId: string
  channelAccountId: string
  contactId: string
  /** The conversation's agent, whom the contact's row shows. */
  agentId: string | null
  senderType: Exclude<SenderType, 'system'>
  senderId: string
  body: string
  replyToMessageId: string | null
  replyQuote: string | null
  metadata: Metadata | null
  externalId: string
  inboundAt: Date | null
  grams: readonly string[]
  attachments: readonly AttachmentRow[]
}

/** As in queries.ts: the list need not carry a whole long message. */
export const LAST_BODY_MAX = 2000

/** What else happens with them, as parts of the one statement. `contact` gets the last row of each contact. */
type Along = { contact: (from: RawBuilder<unknown>) => RawBuilder<unknown>; event: RawBuilder<unknown> }

const lastOfContacts = sql`(
  select distinct on ("contactId" collate "C") "contactId", "conversationId", "agentId" from input
  order by "contactId" collate "C", id collate "C" desc
)`

/**
 * Stores messages and everything that follows from them in one statement: the conversations' last message and count of
 * unread ones, the contacts' activity, the search index, attachments, events. Returns how many were stored: fewer than
 * given when an external id was taken, and then the caller rolls back.
 */
export const insertReceived = async (
  ctx: Ctx,
  rows: readonly ReceivedRow[],
  at: Date,
  along: Along,
): Promise<number> => {
  const { db, workspaceId } = ctx
  const input = rows.map(({ grams: _, attachments: __, ...row }) => row)
  const grams = rows.flatMap(({ conversationId, grams }) => grams.map((gram) => ({ conversationId, gram })))
  const attachments = rows.flatMap(({ attachments }) => attachments)
  const { rows: counted } = await sql<{ count: number }>`
    with input as (
      select * from jsonb_to_recordset(${JSON.stringify(input)}::jsonb) as m (
        id text, "conversationId" text, "channelAccountId" text, "contactId" text, "agentId" text,
        "senderType" text, "senderId" text, body text, "replyToMessageId" text, "replyQuote" text,
        metadata jsonb, "externalId" text, "inboundAt" timestamptz)
    ), message as (
      insert into messages (workspace_id, id, conversation_id, channel_account_id, sender_type, sender_id, body,
        status, reply_to_message_id, reply_quote, metadata, external_id, created_at)
      select ${workspaceId}, id, "conversationId", "channelAccountId", "senderType", "senderId", body, 'sent',
        "replyToMessageId", "replyQuote", nullif(metadata, 'null'::jsonb), "externalId", ${at}
      from input
      order by id
      on conflict (workspace_id, channel_account_id, external_id) where external_id is not null do nothing
      returning 1
    ), last as (
      select distinct on ("conversationId" collate "C") *,
        max("inboundAt") over (partition by "conversationId") as last_inbound_at,
        count("inboundAt") over (partition by "conversationId") as inbound_count
      from input
      order by "conversationId" collate "C", id collate "C" desc
    ), conversation as (
      update conversations c set
        last_message_id = last.id,
        last_message_body = left(last.body, ${LAST_BODY_MAX}::integer),
        last_message_sender_id = last."senderId",
        last_message_sender_type = last."senderType",
        last_message_status = 'sent',
        last_message_at = ${at},
        last_inbound_at = greatest(c.last_inbound_at, last.last_inbound_at),
        unread_count = c.unread_count + last.inbound_count::integer,
        updated_at = ${at}
      from last
      where c.workspace_id = ${workspaceId} and c.id = last."conversationId"
    ), contact as (${along.contact(lastOfContacts)}
    ), gram as (${gramRows(ctx, grams)}
    ), attachment as (${attachmentsInsert(ctx, attachments, at)}
    ), event as (${along.event}
    )
    select count(*) as count from message`.execute(db)
  return counted[0]!.count
}
