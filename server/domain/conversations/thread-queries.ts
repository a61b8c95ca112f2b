// Reads one conversation's thread: its messages in full, each with its sender and attachments.
import { expressionBuilder, type Nullable, type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { decodeCursor, encodeCursor, type Listing } from '../../platform/db/pagination.ts'
import { type RowOf, selected } from '../../platform/db/select-list.ts'
import type { Tables } from '../../platform/db/tables.ts'
import type { Links } from '../../platform/files/links.ts'
import { ATTACHMENT, type AttachmentRow, toAttachment } from '../attachments/attachment-json.ts'
import type { Attachment } from '../attachments/schema.ts'
import { seenBy } from '../visible-conversations.ts'
import { ID_CEILING } from './conversation-rows.ts'
import type { AttachmentState, InboxMessage } from './inbox-schema.ts'
import type { Message } from './schema.ts'

type Joined = {
  m: Tables['messages']
  w: Tables['workspaces']
  k: Tables['contacts']
  a: Nullable<Tables['accounts']>
  p: Nullable<Tables['memberships']>
}
const joined = expressionBuilder<Joined, keyof Joined>()

/** A message as read: the fields it shows, and those its sender and attachments are built from. */
const FIELDS = {
  id: joined.ref('m.id'),
  conversationId: joined.ref('m.conversation_id'),
  senderId: joined.ref('m.sender_id'),
  senderType: joined.ref('m.sender_type'),
  body: joined.ref('m.body'),
  replyToMessageId: joined.ref('m.reply_to_message_id'),
  replyQuote: joined.ref('m.reply_quote'),
  metadata: joined.ref('m.metadata'),
  status: joined.ref('m.status'),
  createdAt: joined.ref('m.created_at'),
  workspaceName: joined.ref('w.name'),
  contactId: joined.ref('k.id'),
  contactName: joined.ref('k.name'),
  nickname: joined.ref('a.nickname'),
  isAi: joined.ref('a.is_ai'),
  role: joined.ref('p.role'),
  attachments: sql<AttachmentRow[]>`(select coalesce(json_agg(${ATTACHMENT} order by f.id), '[]'::json)
    from attachments f where f.workspace_id = m.workspace_id and f.message_id = m.id)`,
}

export type MessageRow = RowOf<typeof FIELDS>

const API_PREFIX = 'api:'
const API_NICKNAME = 'API'
/** Sent from the business's own phone, which shares its number with us; the provider does not say by whom. */
export const PHONE_PREFIX = 'phone:'
const PHONE_NICKNAME = 'Phone'
const AUTOMATION_NICKNAME = 'Automation'
const SYSTEM_NICKNAME = 'System'

/**
 * The sender of a message. A customer is the conversation's contact, even if the row still names one that was merged
 * into it.
 */
const senderOf = (row: MessageRow): Message['sender'] => {
  if (row.senderType === 'customer')
    return { id: row.contactId, nickname: row.contactName, company: null, role: 'customer' }
  const company = row.workspaceName
  if (row.senderType === 'system')
    return { id: row.senderId, nickname: SYSTEM_NICKNAME, company, role: 'system' }
  if (row.senderId.startsWith(API_PREFIX))
    return { id: row.senderId, nickname: API_NICKNAME, company, role: 'automation' }
  if (row.senderId.startsWith(PHONE_PREFIX))
    return { id: row.senderId, nickname: PHONE_NICKNAME, company, role: 'agent' }
  if (row.senderType === 'automation' || row.nickname === null)
    return { id: row.senderId, nickname: AUTOMATION_NICKNAME, company, role: 'automation' }
  return {
    id: row.senderId,
    nickname: row.nickname,
    company,
    role: row.isAi ? 'ai' : row.role === 'admin' ? 'admin' : 'agent',
  }
}

export const toMessage = (links: Links, row: MessageRow): Message => {
  const { workspaceName, contactId, contactName, nickname, isAi, role, attachments, ...message } = row
  return {
    ...message,
    attachments: attachments.map((one) => toAttachment(links, one)),
    sender: senderOf(row),
  }
}

/** The same for the console, which also shows whether a missing file may still arrive. */
export const toInboxMessage = (links: Links, row: MessageRow): InboxMessage => {
  const message = toMessage(links, row)
  return {
    ...message,
    attachments: row.attachments.map((one) => shownFile(links, one)),
  }
}

export const shownFile = (links: Links, row: AttachmentRow): InboxMessage['attachments'][number] => ({
  ...toAttachment(links, row),
  state: SHOWN_STATE[row.state],
})

const SHOWN_STATE = {
  uploading: 'pending',
  pending: 'pending',
  inline: 'stored',
  stored: 'stored',
  failed: 'failed',
} as const satisfies Record<AttachmentRow['state'], AttachmentState>

/** The messages that `from` yields as `m`, with all their fields. */
export const completed = (workspaceId: string, from: RawBuilder<unknown>) => sql<MessageRow>`
  select ${selected(FIELDS)}
  from ${from} m
  join workspaces w on w.id = m.workspace_id
  join conversations c on c.workspace_id = m.workspace_id and c.id = m.conversation_id
  join contacts k on k.workspace_id = c.workspace_id and k.id = c.contact_id
  left join accounts a on m.sender_type = 'agent' and a.id = m.sender_id
  left join memberships p on p.workspace_id = m.workspace_id and p.account_id = a.id
  where m.workspace_id = ${workspaceId}`

/** The attachments of messages, by the messages' ids. The caller has seen to it that the actor may read those. */
export const listAttachments = async (
  ctx: Pick<Ctx, 'db' | 'workspaceId'> & Links,
  messageIds: readonly string[],
): Promise<Map<string, Attachment[]>> => {
  const { rows } = await sql<{ messageId: string; attachment: AttachmentRow }>`
    select f.message_id as "messageId", ${ATTACHMENT} as attachment from attachments f
    where f.workspace_id = ${ctx.workspaceId} and f.message_id = any (${[...messageIds]}::text[])
    order by f.id`.execute(ctx.db)
  const byMessage = Map.groupBy(rows, ({ messageId }) => messageId)
  return new Map(
    [...byMessage].map(([id, list]) => [id, list.map(({ attachment }) => toAttachment(ctx, attachment))]),
  )
}

/** A message of the workspace, as the API shows it; including system entries. */
export const findMessage = async (ctx: Ctx, id: string): Promise<Message | undefined> => {
  const row = await findRow(ctx, id)
  return row && toMessage(ctx, row)
}

/** Several of them, in any order. */
export const findMessages = async (ctx: Ctx, ids: readonly string[]): Promise<Message[]> => {
  const { db, workspaceId } = ctx
  const some = sql`(select * from messages where workspace_id = ${workspaceId} and id = any (${ids}::text[]))`
  const { rows } = await completed(workspaceId, some).execute(db)
  return rows.map((row) => toMessage(ctx, row))
}

/** The same as the console shows one. */
export const findInboxMessage = async (ctx: Ctx, id: string): Promise<InboxMessage | undefined> => {
  const row = await findRow(ctx, id)
  return row && toInboxMessage(ctx, row)
}

const findRow = async ({ db, workspaceId }: Ctx, id: string): Promise<MessageRow | undefined> => {
  const one = sql`(select * from messages where workspace_id = ${workspaceId} and id = ${id})`
  const { rows } = await completed(workspaceId, one).execute(db)
  return rows[0]
}

type ThreadPage = { messages: Message[]; nextCursor: string | null }

/**
 * A page of a conversation's messages, newest first, including system entries; undefined if there is no such
 * conversation, or the actor may not see it.
 */
export const listThread = async (
  ctx: Ctx,
  { conversationId, cursor, limit }: { conversationId: string; cursor?: string; limit: number },
): Promise<ThreadPage | undefined> => {
  const listing: Listing = ['listConversationMessages', ctx.workspaceId, conversationId]
  const before = cursor === undefined ? undefined : decodeCursor(listing, cursor).id
  const found = await listThreadMessages(ctx, conversationId, [
    { before: before ?? ID_CEILING, limit: limit + 1 },
  ])
  if (found.length === 0 && !(await conversationExists(ctx, conversationId))) return undefined
  const messages = found.slice(0, limit).map((row) => toMessage(ctx, row))
  const last = messages.at(-1)
  return {
    messages,
    nextCursor: found.length > limit && last ? encodeCursor(listing, { at: null, id: last.id }) : null,
  }
}

/** The newest entries before an id, or the oldest from an id on. */
export type ThreadPart = { limit: number } & ({ before: string } | { from: string })

/** The rows of a conversation's messages or notes in parts that don't overlap. */
export const partsOf = (
  table: 'messages' | 'notes',
  { workspaceId }: Pick<Ctx, 'workspaceId'>,
  conversationId: string,
  parts: readonly ThreadPart[],
) => {
  const selects = parts.map(
    (part) => sql`(select * from ${sql.table(table)}
      where workspace_id = ${workspaceId} and conversation_id = ${conversationId}
        and ${'from' in part ? sql`id >= ${part.from} order by id` : sql`id < ${part.before} order by id desc`}
      limit ${part.limit})`,
  )
  return sql`(${sql.join(selects, sql` union all `)})`
}

/** Messages of a conversation, newest first, including system entries; none if the actor may not see it. */
export const listThreadMessages = async (
  ctx: Ctx,
  conversationId: string,
  parts: readonly ThreadPart[],
): Promise<MessageRow[]> => {
  const rows = partsOf('messages', ctx, conversationId, parts)
  return (
    await sql<MessageRow>`${completed(ctx.workspaceId, rows)}${seenBy(ctx.actor, 'c')} order by m.id desc`.execute(
      ctx.db,
    )
  ).rows
}

/** Whether the conversation exists in the workspace and the actor may see it. */
export const conversationExists = async (
  { db, workspaceId, actor }: Pick<Ctx, 'db' | 'workspaceId' | 'actor'>,
  id: string,
): Promise<boolean> => {
  const { rows } = await sql`
    select from conversations c
    where c.workspace_id = ${workspaceId} and c.id = ${id}${seenBy(actor, 'c')}`.execute(db)
  return rows.length > 0
}

/** The longest quote kept with a reply. */
const QUOTE_MAX = 500

/** A message of the conversation that another one may quote: no system entry. */
export const findQuoted = async (
  { db, workspaceId }: Ctx,
  conversationId: string,
  messageId: string,
): Promise<{ id: string; quote: string } | undefined> => {
  const { rows } = await sql<{ id: string; quote: string }>`
    select id, left(body, ${QUOTE_MAX}::integer) as quote from messages
    where workspace_id = ${workspaceId} and id = ${messageId} and conversation_id = ${conversationId}
      and sender_type <> 'system'`.execute(db)
  return rows[0]
}
