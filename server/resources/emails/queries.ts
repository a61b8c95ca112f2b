// All SQL of what email adds to conversations and messages.
import { sql } from 'kysely'
import type { Ctx } from '../../ctx.ts'
import type { MessageStatus } from '../../db/tables.ts'

export type EmailContent = {
  /** All of the text, quotes too; null where the message's body is all of it. */
  text: string | null
  /** Sanitised; images of the web are data-src, those of the mail data-attachment. */
  html: string | null
}

type NewContent = EmailContent & { messageId: string; referenceIds: readonly string[] }

export const insertEmailContent = async (
  { db, workspaceId }: Ctx,
  { messageId, text, html, referenceIds }: NewContent,
): Promise<void> => {
  await sql`
    insert into email_contents (workspace_id, message_id, text, html, reference_ids)
    values (${workspaceId}, ${messageId}, ${text}, ${html}, ${[...referenceIds]}::text[])`.execute(db)
}

/** What a mail holds beyond its message, for whoever opens it; undefined for a message that is none. */
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

export type EmailThread = { address: string; replyTo: string | null; subject: string | null }

/** What the next answer in a conversation goes by. */
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
  /** Null: the conversation has had no mail in it yet. */
  address: string | null
}

type Wanted = {
  channelAccountId: string
  /** Conversations whose signature was good. */
  conversationIds: readonly string[]
  /** Messages of ours whose signature was good. */
  messageIds: readonly string[]
  /** Message-IDs that the mail answers, the nearest first. */
  emailIds: readonly string[]
}

/**
 * The conversation that a mail belongs to by what it refers to, among those of this mailbox: what we signed first, then
 * the mails that it knows, nearest first.
 */
export const findEmailThread = async (
  { db, workspaceId }: Ctx,
  { channelAccountId, conversationIds, messageIds, emailIds }: Wanted,
): Promise<FoundThread | undefined> => {
  if (conversationIds.length + messageIds.length + emailIds.length === 0) return undefined
  // Arrays and a fence: joined to a list, the ids would be looked for in every message of a mailbox that is young.
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

export type BouncedCandidate = { id: string; status: MessageStatus; addresses: string[] }

/** Messages of ours by their ids or Message-IDs, with every address that they may have gone to. */
export const listBounced = async (
  { db, workspaceId }: Ctx,
  {
    channelAccountId,
    messageIds,
    emailIds,
  }: { channelAccountId: string; messageIds: readonly string[]; emailIds: readonly string[] },
): Promise<BouncedCandidate[]> => {
  if (messageIds.length + emailIds.length === 0) return []
  const { rows } = await sql<BouncedCandidate>`
    with found as materialized (
      select id from messages where workspace_id = ${workspaceId} and id = any(${[...messageIds]}::text[])
      union
      select id from messages where workspace_id = ${workspaceId} and channel_account_id = ${channelAccountId}
        and external_id = any(${[...emailIds]}::text[]) and external_id is not null
      union
      select message_id from email_aliases where workspace_id = ${workspaceId}
        and channel_account_id = ${channelAccountId} and email_id = any(${[...emailIds]}::text[])
    )
    select m.id, m.status, array(
      select lower(address) from (
        select t.address union all select t.reply_to union all select k.email
        union all
        select value from identities i
          where i.workspace_id = k.workspace_id and i.contact_id = k.id and i.kind = 'email'
      ) a where address is not null) as addresses
    from messages m
    join conversations c on c.workspace_id = m.workspace_id and c.id = m.conversation_id
    join contacts k on k.workspace_id = c.workspace_id and k.id = c.contact_id
    left join email_threads t on t.workspace_id = c.workspace_id and t.conversation_id = c.id
    where m.workspace_id = ${workspaceId} and m.id = any(array(select id from found))
      and m.channel_account_id = ${channelAccountId} and m.sender_type in ('agent', 'automation')`.execute(db)
  return rows
}

/** How many conversations a contact has opened in a mailbox since a time, counted no further than a limit. */
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

export type Answered = {
  address: string | null
  replyTo: string | null
  subject: string | null
  /** Whether any mail came before it. */
  isAnswer: boolean
  /** The mail that the next one answers: the customer's latest before it, else our own. Not one without an id. */
  inReplyTo: string | null
  referenceIds: string[] | null
  /** Set where a program wrote that mail. */
  automatic: string | null
  /** Whether no person wrote our own message. */
  isAutomatic: boolean
}

/** What a message of ours answers. The same for every try, whatever comes in between. */
export const findAnswered = async (
  { db, workspaceId }: Ctx,
  { conversationId, messageId }: { conversationId: string; messageId: string },
): Promise<Answered> => {
  const before = sql`m.workspace_id = ${workspaceId} and m.conversation_id = ${conversationId}
    and m.id < ${messageId} and m.external_id is not null`
  const named = sql`${before} and m.external_id not like '%@missing.invalid>'`
  const { rows } = await sql<Answered>`
    select t.address, t.reply_to as "replyTo", t.subject, p.external_id as "inReplyTo",
      e.reference_ids as "referenceIds",
      exists (select from messages m where ${before}) as "isAnswer",
      p.metadata ->> 'automatic' as automatic, one.sender_type = 'automation' as "isAutomatic"
    from (select sender_type from messages where workspace_id = ${workspaceId} and id = ${messageId}) one
    left join email_threads t on t.workspace_id = ${workspaceId} and t.conversation_id = ${conversationId}
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
