// The SQL of where a chat goes on by email, and who wants none of it. The emails themselves are in mail-queries.ts.
import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { Db } from '../../platform/db/pool.ts'

type Scope = Pick<Ctx, 'db' | 'workspaceId'>

/** A conversation, by its id or by that of an email about it; both were signed by us. */
export type ChatThread = { conversationId: string; address: string | null }

type NewAddress = {
  conversationId: string
  /** In lower case; null: they would rather not say. */
  address: string | null
  addressHash: string | null
  language: string
}

/**
 * Stores what a visitor answered. A different address starts over: nothing is proven of it, and what is unread is looked
 * at again. Returns the address if it is new here.
 */
export const saveAnswer = async (
  { db, workspaceId, now }: Scope & Pick<Ctx, 'now'>,
  { conversationId, address, addressHash, language }: NewAddress,
): Promise<string | null> => {
  const { rows } = await sql<{ address: string | null }>`
    insert into chat_emails as e (workspace_id, conversation_id, address, address_hash, language, answered_at, due_at)
    values (${workspaceId}, ${conversationId}, ${address}, ${addressHash}, ${language}, ${now()},
      ${address === null ? null : now()})
    on conflict (workspace_id, conversation_id) do update set
      address = excluded.address, address_hash = excluded.address_hash, language = excluded.language,
      answered_at = excluded.answered_at, proven_at = null, shown_at = null,
      failed_at = null, last_email_id = null, due_at = excluded.due_at
    where excluded.address is distinct from e.address
    returning e.address`.execute(db)
  return rows[0]?.address ?? null
}

/** The addresses whose answers are shown, and one more. */
const withHash = (hashes: RawBuilder<unknown>, hash: string) =>
  sql`array_append(array_remove(${hashes}, ${hash}), ${hash})`

/** The same for an address that was known before they wrote; leaves an answer that they gave here alone. */
export const saveKnownAddress = async (
  { db, workspaceId, now }: Scope & Pick<Ctx, 'now'>,
  {
    conversationId,
    address,
    addressHash,
    language,
    isVouched,
  }: NewAddress & {
    addressHash: string
    /** The site vouches for it. */
    isVouched: boolean
  },
): Promise<void> => {
  const provenAt = isVouched ? now() : null
  await sql`
    insert into chat_emails as e (workspace_id, conversation_id, address, address_hash, language, answered_at, proven_at,
      shown_at, shown_hashes)
    values (${workspaceId}, ${conversationId}, ${address}, ${addressHash}, ${language}, ${now()}, ${provenAt}, ${provenAt},
      ${isVouched ? [addressHash] : []}::text[])
    on conflict (workspace_id, conversation_id) do update set
      address = excluded.address, address_hash = excluded.address_hash, proven_at = excluded.proven_at,
      shown_at = excluded.shown_at, failed_at = null, last_email_id = null,
      shown_hashes = ${withHash(sql`e.shown_hashes`, addressHash)}
    where ${isVouched} and e.shown_at is null`.execute(db)
}

/** Null if there is no answer yet. */
export const findAnswer = async (
  { db, workspaceId }: Scope,
  conversationId: string,
): Promise<{ address: string | null } | null> => {
  const { rows } = await sql<{ address: string | null }>`
    select address from chat_emails
    where workspace_id = ${workspaceId} and conversation_id = ${conversationId}`.execute(db)
  return rows[0] ?? null
}

export const findChatThread = async (
  { db, workspaceId }: Scope,
  ids: readonly string[],
): Promise<ChatThread | undefined> => {
  if (ids.length === 0) return undefined
  const { rows } = await sql<ChatThread>`
    select e.conversation_id as "conversationId", e.address from chat_emails e
    where e.workspace_id = ${workspaceId} and (e.conversation_id = any(${[...ids]}::text[]) or e.conversation_id in (
      select m.conversation_id from chat_mails m
      where m.workspace_id = ${workspaceId} and m.id = any(${[...ids]}::text[])))
    limit 1`.execute(db)
  return rows[0]
}

/** The message stored under an external id of the website's channel. */
export const findStoredReply = async (
  { db, workspaceId }: Scope,
  { channelAccountId, externalId }: { channelAccountId: string; externalId: string },
): Promise<string | undefined> => {
  const { rows } = await sql<{ id: string }>`
    select id from messages where workspace_id = ${workspaceId} and channel_account_id = ${channelAccountId}
      and external_id = ${externalId} and external_id is not null`.execute(db)
  return rows[0]?.id
}

/** Somebody who reads the mailbox has answered from it. */
export const setAnswered = async (
  { db, workspaceId, now }: Scope & Pick<Ctx, 'now'>,
  { conversationId, addressHash, emailId }: { conversationId: string; addressHash: string; emailId: string },
): Promise<void> => {
  await sql`
    update chat_emails set proven_at = coalesce(proven_at, ${now()}), last_email_id = ${emailId}
    where workspace_id = ${workspaceId} and conversation_id = ${conversationId}
      and address_hash = ${addressHash}`.execute(db)
}

type Linked = {
  conversationId: string
  address: string
  addressHash: string
  contactId: string
  channelAccountId: string
}

/** The chat that an email was about, if it goes to the same address still. */
export const findLinked = async ({ db, workspaceId }: Scope, mailId: string): Promise<Linked | undefined> => {
  const { rows } = await sql<Linked>`
    select e.conversation_id as "conversationId", e.address, e.address_hash as "addressHash",
      c.contact_id as "contactId", c.channel_account_id as "channelAccountId"
    from chat_mails m
    join chat_emails e on e.workspace_id = m.workspace_id and e.conversation_id = m.conversation_id
      and e.address_hash = m.address_hash
    join conversations c on c.workspace_id = m.workspace_id and c.id = m.conversation_id
    where m.workspace_id = ${workspaceId} and m.id = ${mailId}`.execute(db)
  return rows[0]
}

/** What is written from the address is shown in the chat, if it goes there still. False if it was shown already. */
export const setShown = async (
  { db, workspaceId, now }: Scope & Pick<Ctx, 'now'>,
  { conversationId, addressHash: hash }: Pick<Linked, 'conversationId' | 'addressHash'>,
): Promise<boolean> => {
  const { numAffectedRows } = await sql`
    update chat_emails set proven_at = coalesce(proven_at, ${now()}), shown_at = ${now()},
      shown_hashes = ${withHash(sql`shown_hashes`, hash)}
    where workspace_id = ${workspaceId} and conversation_id = ${conversationId} and address_hash = ${hash}
      and (shown_at is null or not ${hash} = any(shown_hashes))`.execute(db)
  return numAffectedRows === 1n
}

/** The most conversations that a line about an address is added to. */
const PLACES_MAX = 20

export type ChatPlace = { id: string; channelAccountId: string; address: string }

/** No more emails to the address; false if there were none any more. */
export const insertStop = async (
  { db, workspaceId, now }: Scope & Pick<Ctx, 'now'>,
  hash: string,
): Promise<boolean> => {
  const { numAffectedRows } = await sql`
    insert into chat_email_stops (workspace_id, address_hash, stopped_at)
    select id, ${hash}, ${now()} from workspaces where id = ${workspaceId}
    on conflict do nothing`.execute(db)
  return numAffectedRows === 1n
}

/** The newest conversations that would go on at the address. */
export const listChatsOf = async ({ db, workspaceId }: Scope, hash: string): Promise<ChatPlace[]> => {
  const { rows } = await sql<ChatPlace>`
    select c.id, c.channel_account_id as "channelAccountId", e.address
    from chat_emails e
    join conversations c on c.workspace_id = e.workspace_id and c.id = e.conversation_id
    where e.workspace_id = ${workspaceId} and e.address_hash = ${hash} and e.address is not null
    order by e.conversation_id desc limit ${PLACES_MAX}`.execute(db)
  return rows
}

/** An email came back: undefined if it is none of these, or this is known. */
export const setFailed = async (
  { db, workspaceId, now }: Scope & Pick<Ctx, 'now'>,
  mailIds: readonly string[],
): Promise<(ChatPlace & { addressHash: string }) | undefined> => {
  if (mailIds.length === 0) return undefined
  const { rows } = await sql<ChatPlace & { addressHash: string }>`
    update chat_emails e set failed_at = ${now()}, due_at = null
    from chat_mails m, conversations c
    where m.workspace_id = ${workspaceId} and m.id = any(${[...mailIds]}::text[])
      and e.workspace_id = m.workspace_id and e.conversation_id = m.conversation_id
      and e.address_hash = m.address_hash and e.failed_at is null and e.address is not null
      and c.workspace_id = e.workspace_id and c.id = e.conversation_id
    returning c.id, c.channel_account_id as "channelAccountId", e.address, e.address_hash as "addressHash"`.execute(
    db,
  )
  return rows[0]
}

/** For the relay: chats with an address in which somebody has replied are looked at. */
export const markDue = async (
  db: Db,
  replies: readonly { workspaceId: string; conversationId: string; at: string }[],
): Promise<void> => {
  await sql`
    update chat_emails e set due_at = coalesce(e.due_at, r.at)
    from (
      select distinct on (workspace_id, conversation_id) * from unnest(
        ${replies.map(({ workspaceId }) => workspaceId)}::text[],
        ${replies.map(({ conversationId }) => conversationId)}::text[],
        ${replies.map(({ at }) => at)}::timestamptz[]) as r (workspace_id, conversation_id, at)
    ) r
    where e.workspace_id = r.workspace_id and e.conversation_id = r.conversation_id
      and e.address is not null and e.failed_at is null and e.due_at is null`.execute(db)
}
