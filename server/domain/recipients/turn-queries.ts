// The SQL of turns in a broadcast: who is next, and what a send to them needs.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { type LockedConversation, lockedColumns } from '../conversations/queries.ts'

export type PartRef = { broadcastId: string; channelAccountId: string }

export type Turn = {
  contactId: string
  parameters: string[] | null
  /** Set if the message already exists and is to be retried. */
  messageId: string | null
}

/** The next recipients, their rows locked; those locked by another worker are skipped. */
export const lockTurns = async (
  { db, workspaceId, now }: Ctx,
  { broadcastId, channelAccountId }: PartRef,
  { after, limit }: { after: string; limit: number },
): Promise<Turn[]> => {
  const { rows } = await sql<Turn>`
    select contact_id as "contactId", parameters, message_id as "messageId" from broadcast_recipients
    where workspace_id = ${workspaceId} and broadcast_id = ${broadcastId}
      and channel_account_id = ${channelAccountId} and outcome = 'pending' and contact_id > ${after}
      and (not_before is null or not_before <= ${now()})
    order by contact_id
    limit ${limit}
    for no key update skip locked`.execute(db)
  return rows
}

export type Reached = {
  contactId: string
  name: string
  email: string | null
  phone: string | null
  isOptedOut: boolean
  /** All of their WhatsApp identities, the one to send to first. */
  externalIds: string[]
}

/** The contacts with what a send to them needs, their rows locked in the order of their ids. */
export const lockReached = async (
  { db, workspaceId }: Ctx,
  contactIds: readonly string[],
): Promise<Reached[]> => {
  const { rows } = await sql<Reached>`
    select k.id as "contactId", k.name, k.email, k.phone, k.opted_out_at is not null as "isOptedOut",
      array(select i.value from identities i
        where i.workspace_id = k.workspace_id and i.contact_id = k.id and i.kind in ('whatsapp_id', 'whatsapp_user_id')
        order by i.kind, i.created_at desc, i.value) as "externalIds"
    from contacts k
    where k.workspace_id = ${workspaceId} and k.id = any(${contactIds}::text[])
    order by k.id
    for no key update of k`.execute(db)
  return rows
}

/**
 * Each contact's conversation with the number, the open one first. The caller holds the contacts' locks, which are
 * required to change their conversations.
 */
export const listThreads = async (
  ctx: Ctx,
  channelAccountId: string,
  contactIds: readonly string[],
): Promise<LockedConversation[]> => {
  const { db, workspaceId } = ctx
  const { rows } = await sql<LockedConversation>`
    select ${lockedColumns(ctx)}
    from unnest(${contactIds}::text[]) q (contact)
    cross join lateral (
      select * from conversations
      where workspace_id = ${workspaceId} and contact_id = q.contact and channel_account_id = ${channelAccountId}
      order by (status = 'open') desc, updated_at desc, id desc
      limit 1
    ) c`.execute(db)
  return rows
}

/** Marks recipients whose messages are being sent. */
export const setSending = async (
  { db, workspaceId, now }: Ctx,
  broadcastId: string,
  rows: readonly { contactId: string; messageId: string }[],
): Promise<void> => {
  await sql`
    update broadcast_recipients r set outcome = 'sending', message_id = n.message, updated_at = ${now()}
    from unnest(
      ${rows.map(({ contactId }) => contactId)}::text[], ${rows.map(({ messageId }) => messageId)}::text[]
    ) n (contact, message)
    where r.workspace_id = ${workspaceId} and r.broadcast_id = ${broadcastId} and r.contact_id = n.contact`.execute(
    db,
  )
}

/** Postpones their turn. */
export const setNotBefore = async (
  { db, workspaceId, now }: Ctx,
  broadcastId: string,
  contactIds: readonly string[],
  notBefore: Date,
): Promise<void> => {
  await sql`
    update broadcast_recipients set not_before = ${notBefore}, updated_at = ${now()}
    where workspace_id = ${workspaceId} and broadcast_id = ${broadcastId} and contact_id = any(${contactIds}::text[])`.execute(
    db,
  )
}

/** When the next waiting recipient of a part may be taken; undefined if none waits. */
export const findNextTurn = async (
  { db, workspaceId, now }: Ctx,
  { broadcastId, channelAccountId }: PartRef,
): Promise<Date | undefined> => {
  const { rows } = await sql<{ at: string | null }>`
    select min(coalesce(not_before, ${now()}::timestamptz)) as at from (
      select not_before from broadcast_recipients
      where workspace_id = ${workspaceId} and broadcast_id = ${broadcastId}
        and channel_account_id = ${channelAccountId} and outcome = 'pending'
      order by not_before nulls first
      limit 1
    ) r`.execute(db)
  return rows[0]?.at ? new Date(rows[0].at) : undefined
}

/** Waiting recipients whose part has been given up. */
export const listWaiting = async (
  { db, workspaceId }: Ctx,
  { broadcastId, channelAccountId }: PartRef,
  limit: number,
): Promise<{ contactId: string; messageId: string | null }[]> => {
  const { rows } = await sql<{ contactId: string; messageId: string | null }>`
    select contact_id as "contactId", message_id as "messageId" from broadcast_recipients
    where workspace_id = ${workspaceId} and broadcast_id = ${broadcastId}
      and channel_account_id = ${channelAccountId} and outcome = 'pending'
    order by contact_id
    limit ${limit}
    for no key update skip locked`.execute(db)
  return rows
}
