// All SQL of the codes that show who a customer is.
import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { Db } from '../../platform/db/pool.ts'
import { rowsOf } from '../../platform/db/rows-of.ts'
import type { CodeAddress } from './code.ts'

/** Somebody who has many codes sent is no customer who mistypes, and other people's mailboxes aren't filled. */
const PER_CONTACT_HOUR_MAX = 3
const PER_WORKSPACE_HOUR_MAX = 200
/** Of a conversation, in which codes are looked for. */
const HIDDEN_MAX = 20
/** Of what the customer wrote, the newest, in which an address is looked for. */
const TYPED_MAX = 500
/** Fewer digits are no number. */
const NUMBER_END = 8

/** Times are in milliseconds. */
export type ConversationCode = CodeAddress & {
  id: string
  language: string
  state: 'open' | 'entered' | 'ended'
  wrongCount: number
  expiresAt: number
  verifiedUntil: number | null
  /** The address is still this contact's, and nobody else has the conversation. */
  isStanding: boolean
}

/** An address that may get a code: mail from it was authenticated, it wrote to us, or the workspace entered it. */
const isConfirmed = sql`case i.kind when 'email' then i.confirmed else i.verified end`

/** Of a code `v` in its conversation `c`. A website's visitor in another browser is somebody else. */
const isStanding = sql<boolean>`(v.contact_id = c.contact_id
  and exists (select from identities i
    where i.workspace_id = v.workspace_id and i.kind = v.kind and i.value = v.address
      and i.contact_id = v.contact_id and i.created_at <= v.created_at and ${isConfirmed})
  and (c.channel <> 'web' or 1 >= (select count(*) from visitors w
    where w.workspace_id = v.workspace_id and w.contact_id = v.contact_id
      and w.seen_at > v.created_at - interval '1 minute')))`

/** The newest of a conversation, as JSON for a larger statement. Older ones are void. */
export const codeJson = (
  workspaceId: string,
  conversationId: RawBuilder<unknown>,
) => sql<ConversationCode | null>`(
  select json_build_object('id', v.id, 'kind', v.kind, 'address', v.address, 'language', v.language, 'state', v.state,
    'wrongCount', v.wrong_count, 'expiresAt', floor(extract(epoch from v.expires_at) * 1000)::bigint,
    'verifiedUntil', floor(extract(epoch from v.verified_until) * 1000)::bigint, 'isStanding', ${isStanding})
  from identity_codes v
  join conversations c on c.workspace_id = v.workspace_id and c.id = v.conversation_id
  where v.workspace_id = ${workspaceId} and v.conversation_id = ${conversationId}
  order by v.id desc limit 1)`

/** Those of a conversation, for a larger statement, to be hidden in what was said there. */
export const codeIds = (workspaceId: string, conversationId: RawBuilder<unknown>) => sql<string[]>`array(
  select v.id::text from identity_codes v
  where v.workspace_id = ${workspaceId} and v.conversation_id = ${conversationId}
  order by v.id desc limit ${HIDDEN_MAX}::integer)`

/**
 * Where a code for a conversation's contact can be sent now: an email address if mail can be sent, else a phone number
 * if there is an SMS account. Never to an address that the customer wrote in this conversation. Undefined if there is
 * none, or if a limit is reached.
 */
export const findCodeAddress = async (
  { db, workspaceId, now, sendsMail = false }: Ctx,
  conversationId: string,
): Promise<CodeAddress | undefined> => {
  const { rows } = await sql<CodeAddress>`
    select i.kind, i.value as address
    from conversations c
    join identities i on i.workspace_id = c.workspace_id and i.contact_id = c.contact_id
    where c.workspace_id = ${workspaceId} and c.id = ${conversationId}
      and i.kind in ('email', 'phone') and ${isConfirmed}
      and (i.kind = 'email' and ${sendsMail} or exists (select from channel_accounts a
        where a.workspace_id = c.workspace_id and a.address is not null and a.removed_at is null
          and a.channel = case i.kind when 'email' then 'email' else 'sms' end))
      and not exists (
        select from (
          select m.body from messages m
          where m.workspace_id = c.workspace_id and m.conversation_id = c.id and m.sender_type = 'customer'
          order by m.id desc limit ${TYPED_MAX}::integer
        ) typed
        where case i.kind when 'email' then position(lower(i.value) in lower(typed.body)) > 0
          else position(right(regexp_replace(i.value, '\\D', '', 'g'), ${NUMBER_END}::integer)
            in regexp_replace(typed.body, '\\D', '', 'g')) > 0 end)
      and ${PER_CONTACT_HOUR_MAX}::integer > (select count(*) from identity_codes v
        where v.workspace_id = c.workspace_id and v.contact_id = c.contact_id
          and v.created_at > ${now()}::timestamptz - interval '1 hour')
      and ${PER_WORKSPACE_HOUR_MAX}::integer > (select count(*) from identity_codes v
        where v.workspace_id = c.workspace_id and v.created_at > ${now()}::timestamptz - interval '1 hour')
    order by i.kind, i.created_at, i.value
    limit 1`.execute(db)
  return rows[0]
}

export type NewCode = CodeAddress & {
  id: string
  conversationId: string
  contactId: string
  language: string
  expiresAt: Date
}

/** A contact has one code at a time. The caller holds the contact's lock. */
export const insertCode = async (
  { db, workspaceId, now }: Ctx,
  { id, conversationId, contactId, kind, address, language, expiresAt }: NewCode,
): Promise<void> => {
  await sql`
    with void as (
      update identity_codes set state = 'ended'
      where workspace_id = ${workspaceId} and contact_id = ${contactId} and state = 'open'
    )
    insert into identity_codes
      (workspace_id, id, conversation_id, contact_id, kind, address, language, state, expires_at, created_at)
    values (${workspaceId}, ${id}, ${conversationId}, ${contactId}, ${kind}, ${address}, ${language}, 'open',
      ${expiresAt}, ${now()})`.execute(db)
}

/** Stores what became of codes, as part of a larger statement. */
export const codesSave = ({ workspaceId }: Ctx, codes: readonly ConversationCode[]) => {
  const rows = codes.map(({ id, state, wrongCount, verifiedUntil }) => ({
    id,
    state,
    wrongCount,
    verifiedUntil: verifiedUntil === null ? null : new Date(verifiedUntil),
  }))
  return sql`
    update identity_codes v
    set state = n.state, wrong_count = n."wrongCount", verified_until = n."verifiedUntil"
    from ${rowsOf(rows)} as n (id text, state text, "wrongCount" integer, "verifiedUntil" timestamptz)
    where v.workspace_id = ${workspaceId} and v.id = n.id`
}

/** Contacts that become one: what was shown of either doesn't hold for both. */
export const endCodesOf = async (
  { db, workspaceId }: Ctx,
  { from, to }: { from: string; to: string },
): Promise<void> => {
  await sql`
    update identity_codes set state = 'ended', contact_id = ${to}
    where workspace_id = ${workspaceId} and contact_id = any(${[from, to]}::text[])`.execute(db)
}

export type CodeToSend = CodeAddress & {
  conversationId: string
  contactId: string
  language: string
  createdAt: string
  workspaceName: string
  /** Of the workspace's own account that sends it; null: the server's mail. */
  channelAccountId: string | null
  /** False if it would come too late, or the address isn't the contact's any more. */
  isWanted: boolean
}

/** Undefined if it was sent or is void. */
export const findCodeToSend = async (
  { db, workspaceId, now }: Ctx,
  id: string,
): Promise<CodeToSend | undefined> => {
  const { rows } = await sql<CodeToSend>`
    select v.kind, v.address, v.conversation_id as "conversationId", v.contact_id as "contactId", v.language,
      v.created_at as "createdAt", w.name as "workspaceName",
      (select a.id from channel_accounts a
        where a.workspace_id = v.workspace_id and a.address is not null and a.removed_at is null
          and a.channel = case v.kind when 'email' then 'email' else 'sms' end
        order by a.id limit 1) as "channelAccountId",
      v.expires_at > ${now()}::timestamptz and ${isStanding} as "isWanted"
    from identity_codes v
    join conversations c on c.workspace_id = v.workspace_id and c.id = v.conversation_id
    join workspaces w on w.id = v.workspace_id
    where v.workspace_id = ${workspaceId} and v.id = ${id} and v.state = 'open'
      and v.sent_at is null`.execute(db)
  return rows[0]
}

export const setCodeSent = async ({ db, workspaceId, now }: Ctx, id: string): Promise<void> => {
  await db
    .updateTable('identity_codes')
    .set({ sent_at: now() })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

/** False if it was void or entered already. */
export const endCode = async ({ db, workspaceId }: Ctx, id: string): Promise<boolean> => {
  const { numUpdatedRows } = await db
    .updateTable('identity_codes')
    .set({ state: 'ended' })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('state', '=', 'open')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Of all workspaces, from before a time. Returns how many. */
export const deleteOldIdentityCodes = async (db: Db, before: Date, rowsMax: number): Promise<number> => {
  const { numAffectedRows } = await sql`
    delete from identity_codes where (workspace_id, id) in (
      select workspace_id, id from identity_codes
      where created_at < ${before} order by created_at limit ${rowsMax})`.execute(db)
  return Number(numAffectedRows ?? 0)
}
