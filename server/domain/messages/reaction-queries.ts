// The SQL of the team's reactions: what is wanted of a message, and its way to the provider.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { CLAIMANT } from '../../platform/db/claimant.ts'
import { isAtWork, isWritable } from '../../platform/db/closed-workspaces.ts'
import type { Db } from '../../platform/db/pool.ts'
import type { Metadata, SenderType } from '../../platform/db/tables.ts'
import { externalIdKinds } from '../deliveries/delivery-queries.ts'

/** Where a message is, before its conversation is locked. */
export const findPlace = async (
  { db, workspaceId }: Ctx,
  messageId: string,
): Promise<{ conversationId: string } | undefined> => {
  const { rows } = await sql<{ conversationId: string }>`
    select conversation_id as "conversationId" from messages
    where workspace_id = ${workspaceId} and id = ${messageId}`.execute(db)
  return rows[0]
}

type Target = {
  id: string
  senderType: SenderType
  externalId: string | null
  metadata: Metadata | null
  /** What is wanted of the provider; null: nothing yet. */
  sent: { reached: string | null; revision: number; claim: number; state: SentState } | null
}

type SentState = 'pending' | 'sending' | 'sent' | 'refused'

/** The message, locked, and then its reaction's row. The caller holds the conversation's lock. */
export const lockTarget = async (
  { db, workspaceId }: Ctx,
  messageId: string,
): Promise<Target | undefined> => {
  const { rows } = await sql<Omit<Target, 'sent'>>`
    select id, sender_type as "senderType", external_id as "externalId", metadata from messages
    where workspace_id = ${workspaceId} and id = ${messageId}
    for no key update`.execute(db)
  const { rows: sent } = await sql<NonNullable<Target['sent']>>`
    select reached, revision, claim, state from sent_reactions
    where workspace_id = ${workspaceId} and message_id = ${messageId}
    for no key update`.execute(db)
  return rows[0] && { ...rows[0], sent: sent[0] ?? null }
}

export const setMetadata = async (
  { db, workspaceId }: Ctx,
  messageId: string,
  metadata: Metadata | null,
): Promise<void> => {
  await sql`
    update messages set metadata = ${metadata && JSON.stringify(metadata)}::jsonb
    where workspace_id = ${workspaceId} and id = ${messageId}`.execute(db)
}

type Wanted = {
  messageId: string
  conversationId: string
  channelAccountId: string
  accountId: string
  emoji: string | null
  /** What the customer sees before, if it was not given here. */
  reached: string | null
}

/** Replaces what is wanted. One that is being sent is followed by this one. */
export const putWanted = async ({ db, workspaceId, now }: Ctx, wanted: Wanted): Promise<void> => {
  const { messageId, conversationId, channelAccountId, accountId, emoji, reached } = wanted
  await sql`
    insert into sent_reactions as s (workspace_id, message_id, conversation_id, channel_account_id, account_id, emoji,
      reached, not_before, created_at, updated_at)
    values (${workspaceId}, ${messageId}, ${conversationId}, ${channelAccountId}, ${accountId}, ${emoji}, ${reached},
      ${now()}, ${now()}, ${now()})
    on conflict (workspace_id, message_id) do update set account_id = excluded.account_id, emoji = excluded.emoji,
      reached = coalesce(excluded.reached, s.reached), revision = s.revision + 1,
      state = case s.state when 'sending' then 'sending' else 'pending' end, tries = 0,
      not_before = excluded.not_before, error_code = null, error_message = null,
      created_at = excluded.created_at, updated_at = excluded.updated_at`.execute(db)
}

export type ReactionClaim = {
  messageId: string
  conversationId: string
  channelAccountId: string
  emoji: string | null
  revision: number
  tries: number
  /** Proves, later, that the claim is still this one. */
  claim: number
  createdAt: string
}

/** Claims the reaction to a message if it is due, so that nobody else sends it, or a later one, meanwhile. */
export const claimReaction = async (
  { db, workspaceId, now }: Ctx,
  messageId: string,
): Promise<ReactionClaim | undefined> => {
  const { rows } = await sql<ReactionClaim>`
    update sent_reactions set state = 'sending', tries = tries + 1, claim = claim + 1, claimed_by = ${CLAIMANT},
      claimed_at = ${now()}, updated_at = ${now()}
    where workspace_id = ${workspaceId} and message_id = ${messageId} and state = 'pending'
      and not_before <= ${now()}
    returning message_id as "messageId", conversation_id as "conversationId",
      channel_account_id as "channelAccountId", emoji, revision, tries, claim, created_at as "createdAt"`.execute(
    db,
  )
  return rows[0]
}

/** The customer's ids, and the provider's of the message. */
export const findReacted = async (
  { db, workspaceId }: Ctx,
  messageId: string,
): Promise<
  { messageExternalId: string | null; phone: string | null; externalId: string | null } | undefined
> => {
  const { rows } = await sql<{
    messageExternalId: string | null
    phone: string | null
    externalId: string | null
  }>`
    select m.external_id as "messageExternalId", k.phone,
      (select value from identities i
        where i.workspace_id = k.workspace_id and i.contact_id = k.id and i.kind = any(${externalIdKinds})
        order by i.kind, i.created_at desc, i.value limit 1) as "externalId"
    from messages m
    join conversations c on c.workspace_id = m.workspace_id and c.id = m.conversation_id
    join contacts k on k.workspace_id = c.workspace_id and k.id = c.contact_id
    where m.workspace_id = ${workspaceId} and m.id = ${messageId}`.execute(db)
  return rows[0]
}

export type Settled = {
  state: 'pending' | 'sent' | 'refused'
  reached: string | null
  notBefore?: Date
  failure?: { code: string; message: string }
}

/** How a claim ended, in the row that the caller has locked. */
export const settleReaction = async (
  { db, workspaceId, now }: Ctx,
  messageId: string,
  { state, reached, notBefore, failure }: Settled,
): Promise<void> => {
  await sql`
    update sent_reactions set state = ${state}, reached = ${reached},
      not_before = coalesce(${notBefore ?? null}::timestamptz, not_before),
      error_code = ${failure?.code ?? null}, error_message = ${failure?.message ?? null}, updated_at = ${now()}
    where workspace_id = ${workspaceId} and message_id = ${messageId}`.execute(db)
}

export type Freed = { workspaceId: string; messageId: string; channelAccountId: string }

const FREED = sql`returning s.workspace_id as "workspaceId", s.message_id as "messageId",
  s.channel_account_id as "channelAccountId"`

/** Frees what these processes had claimed: sending it again is harmless. Over all workspaces. */
export const freeClaimsOf = async (db: Db, claimants: readonly string[]): Promise<Freed[]> => {
  const { rows } = await sql<Freed>`
    update sent_reactions s set state = 'pending'
    where s.state = 'sending' and s.claimed_by = any(${claimants}::text[]) and ${isWritable('s.workspace_id')}
    ${FREED}`.execute(db)
  return rows
}

/**
 * Frees what was claimed before a time, and returns it with what has been due since then, at most `limit` each. Over all
 * workspaces.
 */
export const freeOverdue = async (db: Db, before: Date, limit: number): Promise<Freed[]> => {
  const { rows } = await sql<Freed>`
    update sent_reactions s set state = 'pending', updated_at = s.updated_at
    where (s.workspace_id, s.message_id) in (
      select workspace_id, message_id from sent_reactions
      where state in ('pending', 'sending') and updated_at < ${before} and not_before < ${before}
        and ${isAtWork('workspace_id')}
      order by updated_at limit ${limit})
    ${FREED}`.execute(db)
  return rows
}
