// The SQL of the console's inbox: counts, conversation details, and marking as read.
import { expressionBuilder, sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { type RowOf, selected } from '../../platform/db/select-list.ts'
import type { ChannelName, MessageStatus, Tables } from '../../platform/db/tables.ts'
import { ATTACHMENT, type AttachmentRow } from '../attachments/attachment-json.ts'
import { NOTE_AGENT } from '../contacts/profile-parts.ts'
import type { MentionRange } from '../contacts/schema.ts'
import { seenBy } from '../visible-conversations.ts'
import type { ConversationCounts, InboxNote } from './inbox-schema.ts'
import { automationRevision } from './queries.ts'
import { partsOf, shownFile, type ThreadPart } from './thread-queries.ts'
import { countOwnUnread, type OwnUnread } from './unread.ts'

/** Each count stops at `max`, which bounds the index entries read. */
export const countConversations = async (
  ctx: Ctx,
  { accountId, max }: { accountId: string | null; max: number },
): Promise<ConversationCounts> => {
  const { db, workspaceId, actor } = ctx
  const own = seenBy(actor, 'c')
  const counted = (condition: ReturnType<typeof sql>) => sql<number>`(select count(*)::integer from (
    select from conversations c where c.workspace_id = ${workspaceId} and ${condition}${own} limit ${sql.lit(max)}) n)`
  const { rows } = await sql<Omit<ConversationCounts, keyof OwnUnread>>`select
    ${counted(sql`c.agent_id = ${accountId} and c.status = 'open' and c.snoozed_until is null`)} as mine,
    ${counted(sql`c.agent_id is null and c.status = 'open' and c.snoozed_until is null`)} as unassigned,
    ${counted(sql`c.status = 'open' and c.snoozed_until is null`)} as open,
    ${counted(sql`c.snoozed_until is not null`)} as snoozed`.execute(db)
  return { ...rows[0]!, ...(await countOwnUnread(ctx)) }
}

type Around = {
  contactId: string
  channel: ChannelName
  channelAccountId: string
  accountName: string
  address: string | null
  avatarUrl: string | null
  subject: string | null
  isAutomated: boolean
  isProposedTo: boolean
  isDisconnected: boolean
}

/** The details of a conversation that the actor may see. */
export const findAround = async (ctx: Ctx, id: string): Promise<Around | undefined> => {
  const { db, workspaceId, actor } = ctx
  const { rows } = await sql<Around>`
    select c.contact_id as "contactId", c.channel, c.channel_account_id as "channelAccountId",
      h.name as "accountName", h.address, k.avatar_url as "avatarUrl", c.subject, ${automationRevision(ctx)} is not null as "isAutomated",
      exists (select from reply_drafts d where d.workspace_id = c.workspace_id and d.conversation_id = c.id
        and d.turn_id is null and d.state = 'offered') as "isProposedTo",
      h.removed_at is not null as "isDisconnected"
    from conversations c
    join channel_accounts h on h.workspace_id = c.workspace_id and h.id = c.channel_account_id
    join contacts k on k.workspace_id = c.workspace_id and k.id = c.contact_id
    where c.workspace_id = ${workspaceId} and c.id = ${id}${seenBy(actor, 'c')}`.execute(db)
  return rows[0]
}

const note = expressionBuilder<{ n: Tables['notes'] }, 'n'>()

const NOTE = {
  id: note.ref('n.id'),
  body: note.ref('n.body'),
  createdAt: note.ref('n.created_at'),
  editedAt: note.ref('n.edited_at'),
  agent: NOTE_AGENT,
  mentions: sql<
    MentionRange[]
  >`(select coalesce(json_agg(json_build_object('position', t.position, 'length', t.length,
    'accountId', t.account_id) order by t.position), '[]') from note_mentions t
    where t.workspace_id = n.workspace_id and t.note_id = n.id)`,
  attachments: sql<AttachmentRow[]>`(select coalesce(json_agg(${ATTACHMENT} order by f.id), '[]'::json)
    from attachments f where f.workspace_id = n.workspace_id and f.note_id = n.id)`,
}

/** Notes of a conversation, newest first. */
export const listThreadNotes = async (
  ctx: Ctx,
  conversationId: string,
  parts: readonly ThreadPart[],
): Promise<InboxNote[]> => {
  const { rows } = await sql<RowOf<typeof NOTE>>`
    select ${selected(NOTE)} from ${partsOf('notes', ctx, conversationId, parts)} n
    left join accounts a on a.id = n.author_id
    order by n.id desc`.execute(ctx.db)
  return rows.map((row) => ({ ...row, attachments: row.attachments.map((one) => shownFile(ctx, one)) }))
}

type ReadRow = { unreadCount: number; lastId: string | null }

/**
 * Marks the conversation's newest inbound messages as read, up to and including one of them, or all. The unread ones
 * are always the newest, so only as many as the unread count are read. At most `max` of them change their status; older
 * ones of a very long backlog just stop counting. lastId is the newest that was marked, null if none was.
 */
export const markMessagesRead = async (
  { db, workspaceId }: Ctx,
  { conversationId, upTo, max }: { conversationId: string; upTo: string; max: number },
): Promise<ReadRow> => {
  const { rows } = await sql<ReadRow>`
    with conversation as (
      select id, unread_count from conversations where workspace_id = ${workspaceId} and id = ${conversationId}
    ), newest as materialized (
      select m.id, m.status from messages m
      where m.workspace_id = ${workspaceId} and m.conversation_id = ${conversationId} and m.sender_type = 'customer'
      order by m.id desc
      limit (select least(unread_count, ${max}::integer) from conversation)
    ), marked as (
      update messages m set status = 'read' from newest n
      where m.workspace_id = ${workspaceId} and m.id = n.id and n.id <= ${upTo} and n.status <> 'read'
      returning m.id
    ), counted as (
      select case when (select count(*) from newest) < (select unread_count from conversation) and ${upTo} < (select min(id) from newest)
        then (select unread_count from conversation)
        else (select count(*) from newest where id > ${upTo}) end as unread_count
    ), shown as (
      update conversations c set unread_count = (select unread_count from counted),
        inbound_seq = greatest(c.inbound_seq, c.unread_count),
        last_message_status = case when c.last_message_id in (select id from marked) then 'read' else c.last_message_status end
      where c.workspace_id = ${workspaceId} and c.id = ${conversationId}
        and (c.unread_count <> (select unread_count from counted) or c.last_message_id in (select id from marked))
    )
    select (select unread_count from counted)::integer as "unreadCount", (select max(id) from marked) as "lastId"`.execute(
    db,
  )
  return rows[0]!
}

/** The provider's id of the customer's newest message that was read. */
export const findLastRead = async (
  { db, workspaceId }: Ctx,
  conversationId: string,
): Promise<string | undefined> => {
  const { rows } = await sql<{ externalId: string }>`
    select external_id as "externalId" from messages
    where workspace_id = ${workspaceId} and conversation_id = ${conversationId} and sender_type = 'customer'
      and status = 'read' and external_id is not null
    order by id desc
    limit 1`.execute(db)
  return rows[0]?.externalId
}

type Attempted = {
  id: string
  conversationId: string
  status: MessageStatus
  isOutbound: boolean
  isAutomated: boolean
}

export const findAttempted = async (
  { db, workspaceId }: Ctx,
  messageId: string,
): Promise<Attempted | undefined> => {
  const { rows } = await sql<Attempted>`
    select id, conversation_id as "conversationId", status, sender_type in ('agent', 'automation') as "isOutbound",
      sender_type = 'automation' as "isAutomated"
    from messages where workspace_id = ${workspaceId} and id = ${messageId}`.execute(db)
  return rows[0]
}

/**
 * Queues a failed message again, clearing the reason and the provider's id of the previous attempt. False if it has not
 * failed. The caller holds the conversation's lock.
 */
export const requeueMessage = async ({ db, workspaceId }: Ctx, id: string): Promise<boolean> => {
  const { rows } = await sql`
    with requeued as (
      update messages set status = 'queued', external_id = null, metadata = nullif(metadata - 'error', '{}'::jsonb)
      where workspace_id = ${workspaceId} and id = ${id}
        and (status = 'failed' or status = 'sent' and metadata ? 'undelivered')
      returning id, conversation_id
    ), shown as (
      update conversations c set last_message_status = 'queued' from requeued r
      where c.workspace_id = ${workspaceId} and c.id = r.conversation_id and c.last_message_id = r.id
    )
    select id from requeued`.execute(db)
  return rows.length > 0
}
