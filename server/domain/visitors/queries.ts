// All SQL of visitors: the browsers that opened the chat box, and what each of them may see of the workspace.
import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { Db } from '../../platform/db/pool.ts'
import type { ConversationStatus, MessageStatus, Tables } from '../../platform/db/tables.ts'
import { fileUrl, type Links } from '../../platform/files/links.ts'
import type { ChoicesMetadata } from '../conversations/schema.ts'
import { isBlockedAt } from './block-queries.ts'
import type { VisitorConversation, VisitorMessage } from './schema.ts'
import { toVisitorChoice, toVisitorChoices } from './visitor-choices.ts'

type Scope = Pick<Ctx, 'db' | 'workspaceId'>

export type Visitor = {
  id: string
  channelAccountId: string
  contactId: string | null
  name: string | null
  email: string | null
  locale: string | null
  page: string | null
  timeZone: string | null
  /** Where they were last seen from, in the form that limits count. */
  address: string | null
  seenAt: string
  /** Whom the site has signed them in as, the address that it vouches for, and until when. */
  signedId: string | null
  signedEmail: string | null
  signedUntil: string | null
}

const visitorColumns = [
  'v.id',
  'v.channel_account_id as channelAccountId',
  'v.contact_id as contactId',
  'v.name',
  'v.email',
  'v.locale',
  'v.page',
  'v.time_zone as timeZone',
  'v.address',
  'v.seen_at as seenAt',
  'v.signed_id as signedId',
  'v.signed_email as signedEmail',
  'v.signed_until as signedUntil',
] as const

/** Includes whether they are blocked, either themselves or by address. */
export const findVisitor = (
  { db, workspaceId }: Scope,
  { channelAccountId, tokenHash, address }: { channelAccountId: string; tokenHash: Buffer; address: string },
): Promise<(Visitor & { isBlocked: boolean }) | undefined> =>
  db
    .selectFrom('visitors as v')
    .select(visitorColumns)
    .select(isBlockedAt(address, sql.ref('v.contact_id'), workspaceId).as('isBlocked'))
    .where('v.token_hash', '=', tokenHash)
    .where('v.workspace_id', '=', workspaceId)
    .where('v.channel_account_id', '=', channelAccountId)
    .executeTakeFirst()

export const insertVisitor = async (
  { db, workspaceId, now }: Ctx,
  { contactId: _, seenAt, ...visitor }: Visitor & { tokenHash: Buffer },
): Promise<void> => {
  await db
    .insertInto('visitors')
    .values({
      workspace_id: workspaceId,
      id: visitor.id,
      channel_account_id: visitor.channelAccountId,
      token_hash: visitor.tokenHash,
      name: visitor.name,
      email: visitor.email,
      locale: visitor.locale,
      page: visitor.page,
      time_zone: visitor.timeZone,
      address: visitor.address,
      created_at: now(),
      seen_at: seenAt,
    })
    .execute()
}

export const updateVisitor = async (
  { db, workspaceId }: Ctx,
  { id, name, email, locale, page, timeZone, address, seenAt }: Visitor,
): Promise<void> => {
  await db
    .updateTable('visitors')
    .set({ name, email, locale, page, time_zone: timeZone, address, seen_at: seenAt })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

export const setVisitorContact = async (
  { db, workspaceId }: Ctx,
  visitorId: string,
  contactId: string,
): Promise<void> => {
  await db
    .updateTable('visitors')
    .set({ contact_id: contactId })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', visitorId)
    .where('contact_id', 'is', null)
    .execute()
}

/** What another call may have changed since the visitor was found, their row locked until the transaction ends. */
export const lockVisitor = async (
  { db, workspaceId }: Ctx,
  visitorId: string,
): Promise<Pick<Visitor, 'contactId' | 'signedId'> | undefined> =>
  db
    .selectFrom('visitors')
    .select(['contact_id as contactId', 'signed_id as signedId'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', visitorId)
    .forNoKeyUpdate()
    .executeTakeFirst()

export const setSigned = async (
  { db, workspaceId }: Ctx,
  visitorId: string,
  { signedId, signedEmail, signedUntil }: Pick<Visitor, 'signedId' | 'signedEmail' | 'signedUntil'>,
): Promise<void> => {
  await db
    .updateTable('visitors')
    .set({ signed_id: signedId, signed_email: signedEmail, signed_until: signedUntil })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', visitorId)
    .execute()
}

/** Which of the visitors have become contacts. */
export const listVisitorContacts = async (
  { db, workspaceId }: Scope,
  visitorIds: string[],
): Promise<{ visitorId: string; contactId: string }[]> => {
  const { rows } = await sql<{ visitorId: string; contactId: string }>`
    select id as "visitorId", contact_id as "contactId" from visitors
    where workspace_id = ${workspaceId} and id = any(${visitorIds}) and contact_id is not null`.execute(db)
  return rows
}

/** A contact only has more than one conversation on a site if the API opened a new one beside a closed one. */
const CONVERSATIONS_MAX = 20

/** The contact's conversations on one site; the current one comes first. */
export const listVisitorConversations = async (
  { db, workspaceId }: Scope,
  { contactId, channelAccountId }: { contactId: string; channelAccountId: string },
): Promise<VisitorConversation[]> => {
  const { rows } = await sql<{ id: string; status: ConversationStatus }>`
    select id, status from conversations
    where workspace_id = ${workspaceId} and contact_id = ${contactId} and channel_account_id = ${channelAccountId}
    order by (status = 'open') desc, updated_at desc, id desc
    limit ${sql.lit(CONVERSATIONS_MAX)}`.execute(db)
  return rows
}

export type Place = { conversationId: string; channelAccountId: string; contactId: string }

/** The contacts and sites of those conversations. */
export const listPlaces = async ({ db, workspaceId }: Scope, conversationIds: string[]): Promise<Place[]> => {
  const { rows } = await sql<Place>`
    select id as "conversationId", channel_account_id as "channelAccountId", contact_id as "contactId"
    from conversations where workspace_id = ${workspaceId} and id = any(${conversationIds})`.execute(db)
  return rows
}

type AttachmentRow = Pick<Tables['attachments'], 'id' | 'type' | 'name' | 'size'> & { mimeType: string }

type MessageRow = {
  id: string
  conversationId: string
  body: string
  senderType: VisitorMessage['senderType']
  nickname: string
  status: MessageStatus
  createdAt: string
  externalId: string | null
  replyToMessageId: string | null
  choices: ChoicesMetadata | null
  chosenNumber: number | null
  reaction: string | null
  byEmail: VisitorMessage['byEmail']
  attachments: AttachmentRow[]
}

/** A message before it is known which visitor is viewing it. */
export type SeenMessage = Omit<VisitorMessage, 'clientId'> & { externalId: string | null }

/** Senders other than people are shown under the workspace's name, because customers must not see tokens and flows. */
const seen = (workspaceId: string, from: RawBuilder<unknown>) => sql<MessageRow>`
  select m.id, m.conversation_id as "conversationId", m.body, m.sender_type as "senderType",
    case m.sender_type when 'customer' then k.name else coalesce(a.nickname, w.name) end as nickname,
    m.status, m.created_at as "createdAt", m.external_id as "externalId",
    m.reply_to_message_id as "replyToMessageId",
    case when m.sender_type <> 'customer' then m.metadata->'choices' end as choices,
    case when m.sender_type = 'customer' then m.metadata->'choice'->'number' end as "chosenNumber",
    case when m.sender_type = 'customer' then jsonb_path_query_first(m.metadata,
      '$.reactions[*] ? (@.by == "business").emoji') #>> '{}' end as reaction,
    case when m.sender_type = 'customer' and m.metadata ? 'viaEmail' then case when exists (select from chat_emails e
      where e.workspace_id = m.workspace_id and e.conversation_id = m.conversation_id
        and m.metadata->>'addressHash' = any(e.shown_hashes))
      then 'shown' else 'hidden' end end as "byEmail",
    (select coalesce(json_agg(json_build_object('id', f.id, 'type', f.type, 'name', f.name,
        'mimeType', f.mime_type, 'size', f.size) order by f.id), '[]'::json)
      from attachments f where f.workspace_id = m.workspace_id and f.message_id = m.id) as attachments
  from ${from} m
  join workspaces w on w.id = m.workspace_id
  join conversations c on c.workspace_id = m.workspace_id and c.id = m.conversation_id
  join contacts k on k.workspace_id = c.workspace_id and k.id = c.contact_id
  left join accounts a on m.sender_type = 'agent' and a.id = m.sender_id
  where m.workspace_id = ${workspaceId}
  order by m.id`

const toSeen = (
  links: Links,
  { nickname, attachments, replyToMessageId, choices, chosenNumber, ...row }: MessageRow,
): SeenMessage => ({
  ...row,
  sender: { nickname },
  choices: toVisitorChoices(choices),
  choice: toVisitorChoice(replyToMessageId, chosenNumber),
  ...(row.byEmail === 'hidden'
    ? { body: '', attachments: [] }
    : { attachments: attachments.map((file) => ({ ...file, url: fileUrl(links, file.id) })) }),
})

const VISIBLE = sql`('customer', 'agent', 'automation')`

/** The newest messages of a conversation that a customer may see, oldest first. */
export const listSeenMessages = async (
  scope: Scope & Links,
  conversationId: string,
  limit: number,
): Promise<SeenMessage[]> => {
  const { db, workspaceId } = scope
  const newest = sql`(select * from messages
    where workspace_id = ${workspaceId} and conversation_id = ${conversationId} and sender_type in ${VISIBLE}
    order by id desc limit ${limit})`
  const { rows } = await seen(workspaceId, newest).execute(db)
  return rows.map((row) => toSeen(scope, row))
}

/** Those of the messages that a customer may see. */
export const findSeenMessages = async (
  scope: Scope & Links,
  messageIds: string[],
): Promise<SeenMessage[]> => {
  const { db, workspaceId } = scope
  const those = sql`(select * from messages
    where workspace_id = ${workspaceId} and id = any(${messageIds}) and sender_type in ${VISIBLE})`
  const { rows } = await seen(workspaceId, those).execute(db)
  return rows.map((row) => toSeen(scope, row))
}

/** The options of a message to the contact on this site; undefined if there is no such message with options. */
export const findOffered = async (
  { db, workspaceId }: Scope,
  {
    messageId,
    contactId,
    channelAccountId,
  }: { messageId: string; contactId: string; channelAccountId: string },
): Promise<ChoicesMetadata | undefined> => {
  const { rows } = await sql<{ choices: ChoicesMetadata }>`
    select m.metadata->'choices' as choices
    from messages m
    join conversations c on c.workspace_id = m.workspace_id and c.id = m.conversation_id
    where m.workspace_id = ${workspaceId} and m.id = ${messageId} and m.sender_type in ('agent', 'automation')
      and c.contact_id = ${contactId} and c.channel_account_id = ${channelAccountId}
      and m.metadata ? 'choices'`.execute(db)
  return rows[0]?.choices
}

/** How many messages "everything up to this message" may cover. */
const READ_AT_ONCE_MAX = 500

/**
 * The messages to the customer, up to and including one of them, that are not marked as read; undefined if the contact
 * has no such message on this site.
 */
export const listUnreadUpTo = async (
  { db, workspaceId }: Scope,
  {
    messageId,
    contactId,
    channelAccountId,
  }: { messageId: string; contactId: string; channelAccountId: string },
): Promise<string[] | undefined> => {
  const { rows } = await sql<{ ids: string[] }>`
    select array(
        select o.id::text from (
          select * from messages p
          where p.workspace_id = m.workspace_id and p.conversation_id = m.conversation_id and p.id <= m.id
          order by p.id desc limit ${sql.lit(READ_AT_ONCE_MAX)}
        ) o where o.sender_type in ('agent', 'automation') and o.status in ('sent', 'delivered')
      ) as ids
    from messages m
    join conversations c on c.workspace_id = m.workspace_id and c.id = m.conversation_id
    where m.workspace_id = ${workspaceId} and m.id = ${messageId} and m.sender_type in ${VISIBLE}
      and c.contact_id = ${contactId} and c.channel_account_id = ${channelAccountId}`.execute(db)
  return rows[0]?.ids
}

/** Those of the workspaces in which someone can reply: a person seen recently, or the AI agent. */
export const listAttendedWorkspaces = async (
  db: Db,
  workspaceIds: string[],
  seenSince: Date,
): Promise<string[]> => {
  const { rows } = await sql<{ workspaceId: string }>`
    select distinct p.workspace_id as "workspaceId"
    from memberships p join accounts a on a.id = p.account_id
    where p.workspace_id = any(${workspaceIds}) and p.removed_at is null
      and (a.is_ai or a.last_seen_at >= ${seenSince})`.execute(db)
  return rows.map(({ workspaceId }) => workspaceId)
}

/** Deletes visitors who never wrote and were not seen since a time, at most `limit`. Returns how many there were. */
export const deleteSilentVisitors = async (db: Db, seenBefore: Date, limit: number): Promise<number> => {
  const { numAffectedRows } = await sql`
    delete from visitors where (workspace_id, id) in (
      select workspace_id, id from visitors where contact_id is null and seen_at < ${seenBefore}
      order by seen_at limit ${limit})`.execute(db)
  return Number(numAffectedRows ?? 0)
}
