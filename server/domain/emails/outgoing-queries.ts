// The SQL of mail that goes out: what it replies to, what it quotes and whom it has reached.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { Metadata, SenderType } from '../../platform/db/tables.ts'
import type { FileType } from '../attachments/queries.ts'

export type Answered = {
  address: string | null
  replyTo: string | null
  subject: string | null
  /** Whether a mail was received before it. */
  isAnswer: boolean
  /** The mail that the next one replies to: the customer's latest before it, else our own. Never one without an id. */
  inReplyTo: string | null
  referenceIds: string[] | null
  /** Set if that mail was generated automatically. */
  automatic: string | null
  /** Whether our own message was generated automatically. */
  isAutomatic: boolean
  /** The chosen one of the two addresses. */
  sentTo: string | null
  /** Whether the Reply-To was chosen for an earlier message. */
  isReplyToChosen: boolean
  /** What its author decided about it; null: nothing. */
  metadata: Metadata | null
  /** With what it quotes. */
  text: string | null
  html: string | null
}

/** `t` is the thread. Only looked up if it matters. */
const replyToChosen = (workspaceId: string, before: ReturnType<typeof sql>) => sql`
  t.reply_to is not null and exists (
    select from messages m
    where m.workspace_id = ${workspaceId} and m.conversation_id = t.conversation_id and ${before}
      and m.sender_type = 'agent' and m.metadata ->> 'sentTo' = t.reply_to)`

export type ReplyAddresses = { address: string; replyTo: string | null; isReplyToChosen: boolean }

/** Where a conversation's replies can go; undefined before its first mail. */
export const findReplyAddresses = async (
  { db, workspaceId }: Pick<Ctx, 'db' | 'workspaceId'>,
  conversationId: string,
): Promise<ReplyAddresses | undefined> => {
  const { rows } = await sql<ReplyAddresses>`
    select t.address, t.reply_to as "replyTo", ${replyToChosen(workspaceId, sql`true`)} as "isReplyToChosen"
    from email_threads t
    where t.workspace_id = ${workspaceId} and t.conversation_id = ${conversationId}`.execute(db)
  return rows[0]
}

/** The mail that a message of ours replies to. The same for every try, whatever arrives in between. */
export const findAnswered = async (
  { db, workspaceId }: Ctx,
  { conversationId, messageId }: { conversationId: string; messageId: string },
): Promise<Answered> => {
  const before = sql`m.workspace_id = ${workspaceId} and m.conversation_id = ${conversationId}
    and m.id < ${messageId} and m.external_id is not null`
  const named = sql`${before} and m.external_id not like '%@missing.invalid>'
    and (m.metadata ? 'forwardOf') is not true`
  const { rows } = await sql<Answered>`
    select t.address, t.reply_to as "replyTo", t.subject, p.external_id as "inReplyTo",
      e.reference_ids as "referenceIds",
      exists (select from messages m where ${before}) as "isAnswer",
      p.metadata ->> 'automatic' as automatic, one.sender_type = 'automation' as "isAutomatic",
      one.metadata ->> 'sentTo' as "sentTo", one.metadata, own.text, own.html,
      coalesce(${replyToChosen(workspaceId, sql`m.id < ${messageId}`)}, false) as "isReplyToChosen"
    from (select sender_type, metadata from messages where workspace_id = ${workspaceId} and id = ${messageId}) one
    left join email_threads t on t.workspace_id = ${workspaceId} and t.conversation_id = ${conversationId}
    left join email_contents own on own.workspace_id = ${workspaceId} and own.message_id = ${messageId}
    left join lateral (
      select * from (
        (select * from messages m where ${named} and m.sender_type = 'customer' order by m.id desc limit 1)
        union all
        (select * from messages m where ${named} and m.sender_type in ('agent', 'automation')
          order by m.id desc limit 1)
      ) b
      order by b.sender_type = 'customer' desc
      limit 1
    ) p on true
    left join email_contents e on e.workspace_id = ${workspaceId} and e.message_id = p.id`.execute(db)
  return rows[0]!
}

export type OutgoingPlace = {
  /** The mailbox. */
  address: string | null
  workspaceName: string
  quoted: QuotedMessage | null
}

/** `files`: all that it has, stored. */
export type QuotedMessage = {
  id: string
  senderType: SenderType
  senderName: string | null
  senderAddress: string | null
  body: string
  metadata: Metadata | null
  createdAt: string
  text: string | null
  html: string | null
  files: { id: string; type: FileType; name: string; mimeType: string; size: number }[]
}

/** The mailbox that an email is sent from, and the message of its conversation that it quotes. */
export const findOutgoingPlace = async (
  { db, workspaceId }: Ctx,
  {
    conversationId,
    channelAccountId,
    quotedId,
  }: { conversationId: string; channelAccountId: string; quotedId: string | null },
): Promise<OutgoingPlace> => {
  const { rows } = await sql<OutgoingPlace>`
    select a.address, w.name as "workspaceName", (
      select json_build_object('id', m.id, 'senderType', m.sender_type, 'body', m.body, 'metadata', m.metadata,
        'createdAt', m.created_at, 'text', e.text, 'html', e.html,
        'senderName', case when m.sender_type = 'customer' then k.name end,
        'senderAddress', case when m.sender_type = 'customer' then k.email end,
        'files', (select coalesce(json_agg(json_build_object('id', f.id, 'type', f.type, 'name', f.name,
            'mimeType', f.mime_type, 'size', f.size) order by f.id), '[]')
          from attachments f
          where f.workspace_id = ${workspaceId} and f.message_id = m.id and f.state = 'stored'))
      from messages m
      join conversations c on c.workspace_id = ${workspaceId} and c.id = m.conversation_id
      join contacts k on k.workspace_id = ${workspaceId} and k.id = c.contact_id
      left join email_contents e on e.workspace_id = ${workspaceId} and e.message_id = m.id
      where m.workspace_id = ${workspaceId} and m.id = ${quotedId} and m.conversation_id = ${conversationId}
        and m.sender_type <> 'system') as quoted
    from channel_accounts a
    join workspaces w on w.id = ${workspaceId}
    where a.workspace_id = ${workspaceId} and a.id = ${channelAccountId}`.execute(db)
  return rows[0]!
}

export type InlineFile = {
  id: string
  type: FileType
  name: string
  mimeType: string
  size: number
  key: string
}

/** Stored images of the conversation. */
export const listInlineFiles = async (
  { db, workspaceId }: Ctx,
  { conversationId, ids }: { conversationId: string; ids: readonly string[] },
): Promise<InlineFile[]> => {
  if (ids.length === 0) return []
  const { rows } = await sql<InlineFile>`
    select f.id, f.type, f.name, f.mime_type as "mimeType", f.size, f.storage_key as key
    from attachments f join messages m on m.workspace_id = ${workspaceId} and m.id = f.message_id
    where f.workspace_id = ${workspaceId} and f.id = any(${[...ids]}::text[])
      and m.conversation_id = ${conversationId} and f.state = 'stored' and f.mime_type like 'image/%'
    order by array_position(${[...ids]}::text[], f.id::text)`.execute(db)
  return rows
}
