// The SQL of what email adds to conversations and messages. What goes out and what is reported about it have files of
// their own.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { bigramsInsert, bigramsOf } from '../search/bigrams.ts'

export type EmailContent = {
  /** The full text including quotes; null if the message's body is all of it. */
  text: string | null
  /** Sanitised; remote images are data-src, those of the mail data-attachment. */
  html: string | null
}

type NewContent = EmailContent & {
  messageId: string
  conversationId: string
  referenceIds: readonly string[]
  /** The text that the message does not show; searches find it. */
  hidden: string
}

export const insertEmailContent = async (
  { db, workspaceId }: Ctx,
  { messageId, conversationId, text, html, referenceIds, hidden }: NewContent,
): Promise<void> => {
  await sql`
    with hidden as (
      insert into email_hidden_texts (workspace_id, message_id, conversation_id, text)
      select ${workspaceId}, ${messageId}, ${conversationId}, ${hidden} where ${hidden} <> ''
    ), grams as (
      ${bigramsInsert({ workspaceId }, [{ conversationId, grams: bigramsOf(hidden) }])}
    )
    insert into email_contents (workspace_id, message_id, text, html, reference_ids)
    values (${workspaceId}, ${messageId}, ${text}, ${html}, ${[...referenceIds]}::text[])`.execute(db)
}

/** What a mail contains beyond its message, shown when it is opened; undefined if the message is no mail. */
export const findEmailContent = async (
  { db, workspaceId }: Pick<Ctx, 'db' | 'workspaceId'>,
  messageId: string,
): Promise<EmailContent | undefined> =>
  db
    .selectFrom('email_contents')
    .select(['text', 'html'])
    .where('workspace_id', '=', workspaceId)
    .where('message_id', '=', messageId)
    .executeTakeFirst()

type EmailThread = { address: string; replyTo: string | null; subject: string | null }

/** Stores what the next reply in a conversation is based on. */
export const setEmailThread = async (
  { db, workspaceId }: Ctx,
  conversationId: string,
  { address, replyTo, subject }: EmailThread,
): Promise<void> => {
  await sql`
    insert into email_threads (workspace_id, conversation_id, address, reply_to, subject)
    values (${workspaceId}, ${conversationId}, ${address}, ${replyTo}, ${subject})
    on conflict (workspace_id, conversation_id) do update set
      address = excluded.address, reply_to = excluded.reply_to,
      subject = coalesce(excluded.subject, email_threads.subject)`.execute(db)
}

export const insertEmailAliases = async (
  { db, workspaceId }: Ctx,
  {
    channelAccountId,
    messageId,
    ids,
  }: { channelAccountId: string; messageId: string; ids: readonly string[] },
): Promise<void> => {
  await sql`
    insert into email_aliases (workspace_id, channel_account_id, email_id, message_id)
    select ${workspaceId}, ${channelAccountId}, id, ${messageId} from unnest(${[...ids]}::text[]) id
    order by id
    on conflict do nothing`.execute(db)
}

export type FoundThread = {
  conversationId: string
  contactId: string
  /** Null: the conversation has no mail yet. */
  address: string | null
}

type Wanted = {
  channelAccountId: string
  /** Conversations named by a valid signature. */
  conversationIds: readonly string[]
  /** Our messages named by a valid signature. */
  messageIds: readonly string[]
  /** Message-IDs that the mail refers to, the nearest first. */
  emailIds: readonly string[]
}

/**
 * The conversation that a mail belongs to by its references, among those of this mailbox: signed ones first, then known
 * mails, nearest first.
 */
export const findEmailThread = async (
  { db, workspaceId }: Ctx,
  { channelAccountId, conversationIds, messageIds, emailIds }: Wanted,
): Promise<FoundThread | undefined> => {
  if (conversationIds.length + messageIds.length + emailIds.length === 0) return undefined
  // Arrays and a fence: with a join to a list, the ids would be looked up in every message of a young mailbox.
  const { rows } = await sql<FoundThread>`
    with found as materialized (
      select * from (
        select 0 as rank, array_position(${[...conversationIds]}::text[], c.id::text) as place, c.id as conversation_id
        from conversations c
        where c.workspace_id = ${workspaceId} and c.id = any(${[...conversationIds]}::text[])
          and c.channel_account_id = ${channelAccountId}
        union all
        select 1, array_position(${[...messageIds]}::text[], m.id::text), m.conversation_id
        from messages m
        where m.workspace_id = ${workspaceId} and m.id = any(${[...messageIds]}::text[])
          and m.channel_account_id = ${channelAccountId}
        union all
        select 2, array_position(${[...emailIds]}::text[], m.external_id), m.conversation_id
        from messages m
        where m.workspace_id = ${workspaceId} and m.channel_account_id = ${channelAccountId}
          and m.external_id = any(${[...emailIds]}::text[]) and m.external_id is not null
        union all
        select 2, array_position(${[...emailIds]}::text[], a.email_id), m.conversation_id
        from email_aliases a
        cross join lateral (
          select conversation_id from messages where workspace_id = ${workspaceId} and id = a.message_id) m
        where a.workspace_id = ${workspaceId} and a.channel_account_id = ${channelAccountId}
          and a.email_id = any(${[...emailIds]}::text[])
      ) f
      order by rank, place
      limit 1
    )
    select c.id as "conversationId", c.contact_id as "contactId",
      (select t.address from email_threads t
        where t.workspace_id = ${workspaceId} and t.conversation_id = c.id) as address
    from conversations c
    where c.workspace_id = ${workspaceId} and c.id = (select conversation_id from found)`.execute(db)
  return rows[0]
}

/** What is stored under a Message-ID in this mailbox. */
export const findKnownEmail = async (
  { db, workspaceId }: Ctx,
  channelAccountId: string,
  emailId: string,
): Promise<{ id: string; isOurs: boolean; from: string | null; date: string | null } | undefined> => {
  const { rows } = await sql<{ id: string; isOurs: boolean; from: string | null; date: string | null }>`
    select m.id, m.sender_type <> 'customer' as "isOurs", m.metadata #>> '{from,address}' as from,
      m.metadata ->> 'date' as date
    from messages m
    where m.workspace_id = ${workspaceId} and m.channel_account_id = ${channelAccountId}
      and m.external_id = ${emailId} and m.external_id is not null
    union all
    select m.id, true, null, null
    from email_aliases a join messages m on m.workspace_id = a.workspace_id and m.id = a.message_id
    where a.workspace_id = ${workspaceId} and a.channel_account_id = ${channelAccountId}
      and a.email_id = ${emailId}
    limit 1`.execute(db)
  return rows[0]
}

/** How many conversations a contact has opened in a mailbox since a time, counted up to a limit. */
export const countOpenedSince = async (
  { db, workspaceId }: Ctx,
  {
    contactId,
    channelAccountId,
    since,
    limit,
  }: { contactId: string; channelAccountId: string; since: Date; limit: number },
): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from (
      select 1 from conversations
      where workspace_id = ${workspaceId} and contact_id = ${contactId}
        and channel_account_id = ${channelAccountId} and created_at >= ${since}
      limit ${limit}) c`.execute(db)
  return rows[0]!.count
}
