// Reads one conversation's thread: its messages in full, each with who wrote it and what is attached.
import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Ctx } from '../../ctx.ts'
import type { MessageStatus, Metadata, SenderType, Tables } from '../../db/tables.ts'
import { fileUrl, type Links } from '../../files/links.ts'
import { decodeCursor, encodeCursor, type Listing } from '../../http/pagination.ts'
import { ownedBy } from '../roles/own-conversations.ts'
import { confinedTo } from '../roles/permissions.ts'
import { ID_CEILING } from './conversation-rows.ts'
import type { AttachmentState, InboxMessage } from './inbox-schema.ts'
import type { Message } from './schema.ts'

type AttachmentRow = Pick<Selectable<Tables['attachments']>, 'id' | 'type' | 'name' | 'state'> & {
  size: number
  mimeType: string
}

export type MessageRow = {
  id: string
  conversationId: string
  senderId: string
  senderType: SenderType
  body: string
  replyToMessageId: string | null
  replyQuote: string | null
  metadata: Metadata | null
  status: MessageStatus
  createdAt: string
  workspaceName: string
  contactId: string
  contactName: string
  nickname: string | null
  isAi: boolean | null
  role: 'agent' | 'admin' | 'ai' | null
  attachments: AttachmentRow[]
}

const API_PREFIX = 'api:'
const API_NICKNAME = 'API'
/** Written on the business's own phone, which shares its number with us: by whom, the provider does not say. */
export const PHONE_PREFIX = 'phone:'
const PHONE_NICKNAME = 'Phone'
const AUTOMATION_NICKNAME = 'Automation'
const SYSTEM_NICKNAME = 'System'

/**
 * Who wrote a message. A customer is the conversation's contact, also where the row still names one that was merged
 * into it since.
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

export const toMessage = (links: Links, row: MessageRow): Message => ({
  id: row.id,
  conversationId: row.conversationId,
  senderId: row.senderId,
  senderType: row.senderType,
  body: row.body,
  replyToMessageId: row.replyToMessageId,
  replyQuote: row.replyQuote,
  metadata: row.metadata,
  status: row.status,
  createdAt: row.createdAt,
  attachments: row.attachments.map(({ id, type, name, mimeType, size }) => ({
    id,
    type,
    name,
    mimeType,
    size,
    url: fileUrl(links, id),
  })),
  sender: senderOf(row),
})

/** The same for people, who are told of a file that is not there whether it still may come. */
export const toInboxMessage = (links: Links, row: MessageRow): InboxMessage => {
  const message = toMessage(links, row)
  return {
    ...message,
    attachments: message.attachments.map((attachment, index) => ({
      ...attachment,
      state: SHOWN_STATE[row.attachments[index]!.state],
    })),
  }
}

const SHOWN_STATE = {
  uploading: 'pending',
  pending: 'pending',
  inline: 'stored',
  stored: 'stored',
  failed: 'failed',
} as const satisfies Record<AttachmentRow['state'], AttachmentState>

/** The messages that `from` yields as `m`, completed; the names of the rows are those of MessageRow. */
export const completed = (workspaceId: string, from: RawBuilder<unknown>) => sql<MessageRow>`
  select m.id, m.conversation_id as "conversationId", m.sender_id as "senderId", m.sender_type as "senderType",
    m.body, m.reply_to_message_id as "replyToMessageId", m.reply_quote as "replyQuote", m.metadata, m.status,
    m.created_at as "createdAt", w.name as "workspaceName", k.id as "contactId", k.name as "contactName",
    a.nickname, a.is_ai as "isAi", p.role,
    (select coalesce(json_agg(json_build_object('id', f.id, 'type', f.type, 'name', f.name,
        'mimeType', f.mime_type, 'size', f.size, 'state', f.state) order by f.id), '[]'::json)
      from attachments f where f.workspace_id = m.workspace_id and f.message_id = m.id) as attachments
  from ${from} m
  join workspaces w on w.id = m.workspace_id
  join conversations c on c.workspace_id = m.workspace_id and c.id = m.conversation_id
  join contacts k on k.workspace_id = c.workspace_id and k.id = c.contact_id
  left join accounts a on m.sender_type = 'agent' and a.id = m.sender_id
  left join memberships p on p.workspace_id = m.workspace_id and p.account_id = a.id
  where m.workspace_id = ${workspaceId}`

/** A message of the workspace, as the API shows it; system entries too. */
export const findMessage = async (ctx: Ctx, id: string): Promise<Message | undefined> => {
  const row = await findRow(ctx, id)
  return row && toMessage(ctx, row)
}

/** The same as people are shown it. */
export const findInboxMessage = async (ctx: Ctx, id: string): Promise<InboxMessage | undefined> => {
  const row = await findRow(ctx, id)
  return row && toInboxMessage(ctx, row)
}

const findRow = async ({ db, workspaceId }: Ctx, id: string): Promise<MessageRow | undefined> => {
  const one = sql`(select * from messages where workspace_id = ${workspaceId} and id = ${id})`
  const { rows } = await completed(workspaceId, one).execute(db)
  return rows[0]
}

export type ThreadPage = { messages: Message[]; nextCursor: string | null }

/**
 * A page of a conversation's messages, newest first, system entries too; undefined when there is no conversation, or none
 * that the actor sees.
 */
export const listThread = async (
  ctx: Ctx,
  { conversationId, cursor, limit }: { conversationId: string; cursor?: string; limit: number },
): Promise<ThreadPage | undefined> => {
  const listing: Listing = ['listConversationMessages', ctx.workspaceId, conversationId]
  const before = cursor === undefined ? undefined : decodeCursor(listing, cursor).id
  const isConfined = confinedTo(ctx.actor) !== null
  if (isConfined && !(await conversationExists(ctx, conversationId))) return undefined
  const found = await listMessagesBefore(ctx, {
    conversationId,
    before: before ?? ID_CEILING,
    limit: limit + 1,
  })
  if (found.length === 0 && !(await conversationExists(ctx, conversationId))) return undefined
  const messages = found.slice(0, limit).map((row) => toMessage(ctx, row))
  const last = messages.at(-1)
  return {
    messages,
    nextCursor: found.length > limit && last ? encodeCursor(listing, { at: null, id: last.id }) : null,
  }
}

/** The newest messages of a conversation before an id, system entries too. Whoever asks has seen that they may. */
export const listMessagesBefore = async (
  { db, workspaceId }: Ctx,
  { conversationId, before, limit }: { conversationId: string; before: string; limit: number },
): Promise<MessageRow[]> => {
  const page = sql`(select * from messages
    where workspace_id = ${workspaceId} and conversation_id = ${conversationId} and id < ${before}
    order by id desc limit ${limit})`
  const { rows } = await sql<MessageRow>`${completed(workspaceId, page)} order by m.id desc`.execute(db)
  return rows
}

/** Whether the workspace has the conversation, and the actor sees it. */
export const conversationExists = async (
  { db, workspaceId, actor }: Pick<Ctx, 'db' | 'workspaceId' | 'actor'>,
  id: string,
): Promise<boolean> => {
  const { rows } = await sql`
    select from conversations c
    where c.workspace_id = ${workspaceId} and c.id = ${id}${ownedBy(actor, 'c')}`.execute(db)
  return rows.length > 0
}
