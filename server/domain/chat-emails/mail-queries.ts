// The SQL of the emails: which are due, what is in them, and how far they got.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { isAtWork } from '../../platform/db/closed-workspaces.ts'
import type { Db } from '../../platform/db/pool.ts'
import { mailboxIdOf } from '../chat-boxes/config-queries.ts'

type Scope = Pick<Ctx, 'db' | 'workspaceId'>
type Timed = Scope & Pick<Ctx, 'now'>

/** How far back a thread is looked at. */
const RECENT_MAX = 200
/** The replies in one email; the next has the rest. */
export const REPLIES_MAX = 20

export type DueChat = { workspaceId: string; conversationId: string }

/** Over all workspaces. */
export const listDueChats = async (db: Db, now: Date, limit: number): Promise<DueChat[]> => {
  const { rows } = await sql<DueChat>`
    select workspace_id as "workspaceId", conversation_id as "conversationId" from chat_emails
    where due_at <= ${now} and ${isAtWork('workspace_id')} order by due_at limit ${limit}`.execute(db)
  return rows
}

export type LockedChat = {
  address: string
  addressHash: string
  isProven: boolean
  isStopped: boolean
  channelAccountId: string
  settings: Record<string, unknown>
  mailboxId: string | null
  /** When a browser of theirs last opened the chat. */
  seenAt: string | null
  emailedId: string | null
  /** The newest message that they wrote in the chat itself. */
  writtenId: string | null
}

/** Its row locked until the transaction ends; undefined while another process has it, and if nothing is due. */
export const lockDueChat = async (
  { db, workspaceId, now }: Timed,
  conversationId: string,
): Promise<LockedChat | undefined> => {
  const { rows } = await sql<LockedChat>`
    select e.address, e.address_hash as "addressHash", e.proven_at is not null as "isProven",
      exists (select from chat_email_stops s where s.workspace_id = e.workspace_id
        and s.address_hash = e.address_hash) as "isStopped",
      c.channel_account_id as "channelAccountId", coalesce(b.settings, '{}'::jsonb) as settings,
      ${mailboxIdOf(sql`e.workspace_id`, sql`b.settings ->> 'mailboxId'`)} as "mailboxId",
      (select max(v.seen_at) from visitors v where v.workspace_id = e.workspace_id and v.contact_id = c.contact_id
        and v.channel_account_id = c.channel_account_id) as "seenAt",
      e.emailed_id as "emailedId",
      (select max(r.id::text) from (
        select * from messages m where m.workspace_id = e.workspace_id and m.conversation_id = e.conversation_id
        order by m.id desc limit ${sql.lit(RECENT_MAX)}
      ) r where r.sender_type = 'customer' and not coalesce(r.metadata ? 'viaEmail', false)) as "writtenId"
    from chat_emails e
    join conversations c on c.workspace_id = e.workspace_id and c.id = e.conversation_id
    left join chat_boxes b on b.workspace_id = c.workspace_id and b.channel_account_id = c.channel_account_id
    where e.workspace_id = ${workspaceId} and e.conversation_id = ${conversationId} and e.due_at <= ${now()}
      and e.address is not null and e.failed_at is null
    for update of e skip locked`.execute(db)
  return rows[0]
}

export type UnseenReply = { id: string; createdAt: string }

/**
 * Replies that were neither seen nor emailed, oldest first. Those of flows and of the AI agent only if asked for: what
 * they say can be steered by whoever writes in the chat.
 */
export const listUnseenReplies = async (
  { db, workspaceId }: Scope,
  {
    conversationId,
    after,
    includesAutomated,
  }: { conversationId: string; after: readonly (string | null)[]; includesAutomated: boolean },
): Promise<UnseenReply[]> => {
  const { rows } = await sql<UnseenReply>`
    select id, created_at as "createdAt" from messages
    where workspace_id = ${workspaceId} and conversation_id = ${conversationId}
      and id > ${after.reduce<string>((last, id) => (id !== null && id > last ? id : last), '')}
      and (sender_type = 'agent' or sender_type = 'automation' and ${includesAutomated})
      and status in ('sent', 'delivered')
    order by id limit ${sql.lit(REPLIES_MAX)}`.execute(db)
  return rows
}

/** When to look again; null: once there is another reply. */
export const setDue = async (
  { db, workspaceId }: Scope,
  { conversationId, at, emailedId }: { conversationId: string; at: Date | null; emailedId?: string },
): Promise<void> => {
  await sql`
    update chat_emails set due_at = ${at}, emailed_id = coalesce(${emailedId ?? null}::text, emailed_id)
    where workspace_id = ${workspaceId} and conversation_id = ${conversationId}`.execute(db)
}

export type Sent = { ofAddress: number; ofWorkspace: number }

/** Counted one after another in a workspace, until the transaction ends. */
export const countMails = async (
  { db, workspaceId }: Scope,
  { addressHash, since, hourAgo }: { addressHash: string; since: Date; hourAgo: Date },
): Promise<Sent> => {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`chat mails ${workspaceId}`}, 0))`.execute(db)
  const { rows } = await sql<Sent>`
    select
      (select count(*)::integer from chat_mails where workspace_id = ${workspaceId} and address_hash = ${addressHash}
        and created_at > ${since} and state <> 'dropped') as "ofAddress",
      (select count(*)::integer from chat_mails where workspace_id = ${workspaceId} and created_at > ${hourAgo}
      ) as "ofWorkspace"`.execute(db)
  return rows[0]!
}

type NewMail = {
  id: string
  conversationId: string
  channelAccountId: string
  addressHash: string
  messageIds: readonly string[]
}

/** A reply that is in one is in no other: the caller has locked the chat, and the last reply is unique there. */
export const insertMail = async (
  { db, workspaceId, now }: Timed,
  { id, conversationId, channelAccountId, addressHash, messageIds }: NewMail,
): Promise<void> => {
  await sql`
    insert into chat_mails (workspace_id, id, conversation_id, channel_account_id, address_hash, message_ids,
      last_message_id, state, created_at)
    values (${workspaceId}, ${id}, ${conversationId}, ${channelAccountId}, ${addressHash},
      ${[...messageIds]}::text[], ${messageIds.at(-1)!}, 'queued', ${now()})`.execute(db)
}

type File = {
  id: string
  type: 'image' | 'audio' | 'video' | 'file' | 'sticker'
  name: string
  mimeType: string
  size: number
  key: string
}

export type MailToSend = {
  conversationId: string
  channelAccountId: string
  /** Of the website. */
  webAccountId: string
  contactId: string
  address: string
  addressHash: string
  language: string
  createdAt: string
  workspaceName: string
  /** Their last email; null: they have not answered by email. */
  answeredEmailId: string | null
  /** The last page that they were on, as their browser said, and the sites that the chat box may be on. */
  page: string | null
  allowedOrigins: string[]
  /** False once they have come back, or want none. */
  isWanted: boolean
  isAutomatic: boolean
  replies: { name: string; body: string }[]
  files: File[]
}

/** Undefined if it was sent or dropped. */
export const findMailToSend = async (
  { db, workspaceId }: Scope,
  mailId: string,
): Promise<MailToSend | undefined> => {
  const { rows } = await sql<MailToSend>`
    select g.conversation_id as "conversationId", g.channel_account_id as "channelAccountId",
      c.channel_account_id as "webAccountId", c.contact_id as "contactId",
      coalesce(e.address, '') as address, g.address_hash as "addressHash", e.language, g.created_at as "createdAt",
      w.name as "workspaceName", e.last_email_id as "answeredEmailId",
      (select v.page from visitors v where v.workspace_id = g.workspace_id and v.contact_id = c.contact_id
        and v.channel_account_id = c.channel_account_id order by v.seen_at desc limit 1) as page,
      coalesce(a.settings -> 'allowedOrigins', '[]'::jsonb) as "allowedOrigins",
      e.address_hash = g.address_hash and e.failed_at is null
        and not exists (select from chat_email_stops s where s.workspace_id = g.workspace_id
          and s.address_hash = g.address_hash)
        and exists (select from messages m where m.workspace_id = g.workspace_id and m.id = any(g.message_ids)
          and m.status in ('sent', 'delivered'))
        and not exists (select from messages m where m.workspace_id = g.workspace_id
          and m.conversation_id = g.conversation_id and m.id > g.last_message_id
          and m.sender_type = 'customer' and not coalesce(m.metadata ? 'viaEmail', false)) as "isWanted",
      not exists (select from messages m where m.workspace_id = g.workspace_id and m.id = any(g.message_ids)
        and m.sender_type = 'agent') as "isAutomatic",
      (select coalesce(json_agg(json_build_object('name', coalesce(k.nickname, w.name), 'body',
          coalesce(m.body, '')) order by m.id), '[]'::json)
        from messages m left join accounts k on m.sender_type = 'agent' and k.id = m.sender_id
        where m.workspace_id = g.workspace_id and m.id = any(g.message_ids)) as replies,
      (select coalesce(json_agg(json_build_object('id', f.id, 'type', f.type, 'name', f.name,
          'mimeType', f.mime_type, 'size', f.size, 'key', f.storage_key) order by f.id), '[]'::json)
        from attachments f where f.workspace_id = g.workspace_id and f.message_id = any(g.message_ids)
          and f.state = 'stored' and f.type in ('image', 'audio', 'video', 'file', 'sticker')) as files
    from chat_mails g
    join chat_emails e on e.workspace_id = g.workspace_id and e.conversation_id = g.conversation_id
    join conversations c on c.workspace_id = g.workspace_id and c.id = g.conversation_id
    join channel_accounts a on a.workspace_id = c.workspace_id and a.id = c.channel_account_id
    join workspaces w on w.id = g.workspace_id
    where g.workspace_id = ${workspaceId} and g.id = ${mailId} and g.state = 'queued'`.execute(db)
  return rows[0]
}

/** False if it was ended before. */
export const endMail = async (
  { db, workspaceId, now }: Timed,
  { mailId, state }: { mailId: string; state: 'sent' | 'dropped' },
): Promise<boolean> => {
  const { numUpdatedRows } = await db
    .updateTable('chat_mails')
    .set({ state, ended_at: now() })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', mailId)
    .where('state', '=', 'queued')
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Of all workspaces, from before a time. Returns how many. */
export const deleteOldChatMails = async (db: Db, before: Date, rowsMax: number): Promise<number> => {
  const { numAffectedRows } = await sql`
    delete from chat_mails where (workspace_id, id) in (
      select workspace_id, id from chat_mails where created_at < ${before} order by created_at limit ${rowsMax})`.execute(
    db,
  )
  return Number(numAffectedRows ?? 0)
}
