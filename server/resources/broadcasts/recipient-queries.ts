// The SQL of the people of a broadcast: whose turn it is, and what became of them.
import { sql } from 'kysely'
import type { Ctx } from '../../ctx.ts'
import type { RecipientOutcome } from '../../db/tables.ts'
import type { LockedConversation } from '../conversations/queries.ts'
import type { PartRef } from './queries.ts'

export type Turn = {
  contactId: string
  parameters: string[] | null
  /** Set where the message is there already, and is to be tried again. */
  messageId: string | null
}

/** The next people whose turn it is, their rows locked; those that another worker has are passed over. */
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
  /** Every name by which WhatsApp knows them, the one to send to first. */
  externalIds: string[]
}

/** The contacts with what a send needs of them, their rows locked in the order of their ids. */
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
 * The conversation of each contact with the number, the open one first. The caller holds the contacts' locks, without
 * which nobody changes their conversations.
 */
export const listThreads = async (
  { db, workspaceId }: Ctx,
  channelAccountId: string,
  contactIds: readonly string[],
): Promise<LockedConversation[]> => {
  const { rows } = await sql<LockedConversation>`
    select c.id, c.channel, c.channel_account_id as "channelAccountId", c.contact_id as "contactId", c.status,
      c.agent_id as "agentId"
    from unnest(${contactIds}::text[]) q (contact)
    cross join lateral (
      select * from conversations
      where workspace_id = ${workspaceId} and contact_id = q.contact and channel_account_id = ${channelAccountId}
      order by (status = 'open') desc, updated_at desc, id desc
      limit 1
    ) c`.execute(db)
  return rows
}

/** Their messages are under way. */
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

/** It is not their turn yet. */
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

/** What was counted differently by a change, by broadcast. */
export type Progress = {
  broadcastId: string
  status: 'sending' | 'completed' | 'failed'
  totalRecipients: number
  sentCount: number
  failedCount: number
  skippedCount: number
  isToAnnounce: boolean
}

/** Live progress is told at most so often; the end of a broadcast always. */
export const ANNOUNCED_EVERY_MS = 1_000

/** What is to be told of a broadcast that has not ended, which counts as told from now on. */
export const noteAnnounced = async (
  { db, workspaceId, now }: Ctx,
  broadcastId: string,
): Promise<Omit<Progress, 'isToAnnounce'> | undefined> => {
  const { rows } = await sql<Omit<Progress, 'isToAnnounce'>>`
    update broadcasts b set announced_at = ${now()}
    where b.workspace_id = ${workspaceId} and b.id = ${broadcastId} and b.status = 'sending'
    returning b.id as "broadcastId", ${progressColumns}`.execute(db)
  return rows[0]
}

const progressColumns = sql`b.status, b.total_count as "totalRecipients", b.sent_count as "sentCount",
  b.failed_count as "failedCount", b.skipped_count as "skippedCount"`

/**
 * The second half of a statement whose part `changed` yields broadcast_id, before and after: moves the counts, and
 * returns what they are now.
 */
const counted = ({ workspaceId, now }: Ctx) => sql`
  , delta as (
    select broadcast_id,
      count(*) filter (where after = 'sent') - count(*) filter (where before = 'sent') as sent,
      count(*) filter (where after = 'failed') - count(*) filter (where before = 'failed') as failed,
      count(*) filter (where after = 'skipped') - count(*) filter (where before = 'skipped') as skipped
    from changed
    where before <> after
    group by broadcast_id
  )
  update broadcasts b set
    total_count = b.total_count - delta.skipped::integer,
    sent_count = b.sent_count + delta.sent::integer,
    failed_count = b.failed_count + delta.failed::integer,
    skipped_count = b.skipped_count + delta.skipped::integer,
    announced_at = case
      when b.announced_at is null
        or b.announced_at <= ${new Date(now().getTime() - ANNOUNCED_EVERY_MS)}::timestamptz
        or b.sent_count + delta.sent + b.failed_count + delta.failed >= b.total_count - delta.skipped
      then ${now()}::timestamptz else b.announced_at end
  from delta
  where b.workspace_id = ${workspaceId} and b.id = delta.broadcast_id
    and (delta.sent <> 0 or delta.failed <> 0 or delta.skipped <> 0)
  returning b.id as "broadcastId", ${progressColumns}, b.announced_at = ${now()}::timestamptz as "isToAnnounce"`

/** Gives recipients that wait their end without a message: left out, or failed. */
export const endTurns = async (
  ctx: Ctx,
  broadcastId: string,
  contactIds: readonly string[],
  end: { outcome: 'skipped' | 'failed'; code: string; message: string | null },
): Promise<Progress[]> => {
  const { rows } = await sql<Progress>`
    with changed as (
      update broadcast_recipients r set outcome = ${end.outcome}, error_code = ${end.code},
        error_message = ${end.message}, not_before = null, updated_at = ${ctx.now()}
      where r.workspace_id = ${ctx.workspaceId} and r.broadcast_id = ${broadcastId}
        and r.contact_id = any(${contactIds}::text[]) and r.outcome = 'pending'
      returning r.broadcast_id, 'pending' as before, r.outcome as after
    )${counted(ctx)}`.execute(ctx.db)
  return rows
}

/**
 * Brings recipients to what their messages and deliveries say: the one place where that is decided. A refusal that
 * means "no such messages any more" (`optedOutCode`) leaves the recipient out; every other one is a failure.
 */
export const followMessages = async (
  ctx: Ctx,
  messageIds: readonly string[],
  optedOutCode: string,
): Promise<Progress[]> => {
  const { rows } = await sql<Progress>`
    with judged as (
      select r.broadcast_id, r.contact_id, r.outcome as before, d.not_before,
        m.metadata #>> '{error,code}' as code, m.metadata #>> '{error,message}' as message,
        case
          when m.status in ('sent', 'delivered', 'read') then 'sent'
          when m.status = 'failed' then
            case when m.metadata #>> '{error,code}' = ${optedOutCode} then 'skipped' else 'failed' end
          when d.state = 'unconfirmed' then 'unconfirmed'
          when d.state = 'pending' then 'pending'
          else 'sending' end as after
      from broadcast_recipients r
      join messages m on m.workspace_id = r.workspace_id and m.id = r.message_id
      left join lateral (
        select state, not_before from deliveries d
        where d.workspace_id = r.workspace_id and d.message_id = m.id
        order by d.id desc
        limit 1
      ) d on true
      where r.workspace_id = ${ctx.workspaceId} and r.message_id = any(${messageIds}::text[])
      order by r.broadcast_id, r.contact_id
      for no key update of r
    ), changed as (
      update broadcast_recipients r set outcome = j.after, error_code = j.code, error_message = j.message,
        not_before = case when j.after = 'pending' then j.not_before end, updated_at = ${ctx.now()}
      from judged j
      where r.workspace_id = ${ctx.workspaceId} and r.broadcast_id = j.broadcast_id and r.contact_id = j.contact_id
        and (r.outcome <> j.after or r.error_code is distinct from j.code or j.after = 'pending')
      returning r.broadcast_id, j.before, j.after
    )${counted(ctx)}`.execute(ctx.db)
  return rows
}

/** When the next recipient of a part that waits may be taken; undefined: none waits. */
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

/** Recipients that wait, whose part has been given up. */
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

/**
 * Two contacts became one. Who is in a broadcast under both names is sent to once: a turn that still waits is left out
 * where the other one waits too, or is under way or past. Returns what was counted differently.
 */
export const moveRecipients = async (ctx: Ctx, from: string, to: string): Promise<Progress[]> => {
  await sql`
    update broadcast_recipients r set contact_id = ${to}
    from broadcasts b
    where b.workspace_id = ${ctx.workspaceId} and r.workspace_id = b.workspace_id and r.broadcast_id = b.id
      and r.contact_id = ${from}
      and not exists (select from broadcast_recipients o
        where o.workspace_id = r.workspace_id and o.broadcast_id = r.broadcast_id and o.contact_id = ${to})`.execute(
    ctx.db,
  )
  const { rows } = await sql<Progress>`
    with changed as (
      update broadcast_recipients r set outcome = 'skipped', error_code = 'DUPLICATE', not_before = null,
        updated_at = ${ctx.now()}
      from broadcasts b
      where b.workspace_id = ${ctx.workspaceId} and b.status = 'sending' and r.workspace_id = b.workspace_id
        and r.broadcast_id = b.id and r.outcome = 'pending' and (r.contact_id = ${from} or r.contact_id = ${to}
          and exists (select from broadcast_recipients o
            where o.workspace_id = r.workspace_id and o.broadcast_id = r.broadcast_id and o.contact_id = ${from}
              and o.outcome in ('sending', 'sent', 'unconfirmed')))
      returning r.broadcast_id, 'pending' as before, r.outcome as after
    )${counted(ctx)}`.execute(ctx.db)
  return rows
}

// What people see -------------------------------------------------------------------------------------------------

export type RecipientRow = {
  contactId: string
  name: string | null
  phone: string | null
  outcome: RecipientOutcome
  code: string | null
  message: string | null
  messageId: string | null
  conversationId: string | null
  status: string | null
  updatedAt: string
}

type RecipientsAfter = { broadcastId: string; outcome: RecipientOutcome | null; after: string; limit: number }

/** In the order of the contacts' ids, so that a row that moves on meanwhile is neither skipped nor repeated. */
export const listRecipientsAfter = async (
  { db, workspaceId }: Ctx,
  { broadcastId, outcome, after, limit }: RecipientsAfter,
): Promise<RecipientRow[]> => {
  const { rows } = await sql<RecipientRow>`
    select r.contact_id as "contactId", k.name, k.phone, r.outcome, r.error_code as code, r.error_message as message,
      r.message_id as "messageId", m.conversation_id as "conversationId", m.status, r.updated_at as "updatedAt"
    from broadcast_recipients r
    left join contacts k on k.workspace_id = r.workspace_id and k.id = r.contact_id
    left join messages m on m.workspace_id = r.workspace_id and m.id = r.message_id
    where r.workspace_id = ${workspaceId} and r.broadcast_id = ${broadcastId} and r.contact_id > ${after}
      and (${outcome}::text is null or r.outcome = ${outcome})
    order by r.contact_id
    limit ${limit}`.execute(db)
  return rows
}
