// All SQL of deliveries: the attempts to hand outbound messages to their providers.
import { sql } from 'kysely'
import type { OutboundTemplate } from '../../../channels/channel.ts'
import { DEFINITIONS } from '../../../channels/definitions.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { CLAIMANT } from '../../platform/db/claimant.ts'
import { isAtWork, isWritable } from '../../platform/db/closed-workspaces.ts'
import type { Db } from '../../platform/db/pool.ts'
import type { ChannelName } from '../../platform/db/tables.ts'
import { traceparent } from '../../platform/tracing.ts'
import type { UploadRow } from '../attachments/upload-queries.ts'
import { MOVES_FROM } from './move-messages.ts'

type NewDelivery = {
  messageId: string
  conversationId: string
  channelAccountId: string
  template: OutboundTemplate | null
  /** Not sent once a person has spoken. */
  isAutomated: boolean
}

/** An automated one has the epoch of its conversation, whose row in automation_states claims lock: see claimHead. */
export const insertDelivery = async (
  { db, workspaceId, now, newId }: Ctx,
  { messageId, conversationId, channelAccountId, template, isAutomated }: NewDelivery,
): Promise<void> => {
  const epoch = isAutomated
    ? sql`coalesce((select epoch from automation_states
        where workspace_id = ${workspaceId} and conversation_id = ${conversationId}), 0)`
    : sql`null`
  const state = sql`with state as (
    insert into automation_states (workspace_id, conversation_id) values (${workspaceId}, ${conversationId})
    on conflict do nothing)`
  await sql`
    ${isAutomated ? state : sql``}
    insert into deliveries (workspace_id, id, message_id, conversation_id, channel_account_id, template,
      only_if_epoch, not_before, traceparent, created_at, updated_at)
    values (${workspaceId}, ${newId()}, ${messageId}, ${conversationId}, ${channelAccountId},
      ${template && JSON.stringify(template)}::jsonb, ${epoch}, ${now()}, ${traceparent()}, ${now()}, ${now()})`.execute(
    db,
  )
}

export type Claim = {
  id: string
  messageId: string
  conversationId: string
  channelAccountId: string
  /** The number of this try. It also proves, later, that the claim is still this one. */
  tries: number
  createdAt: string
  /** The trace in which it was queued. */
  traceparent?: string | null
}

/** Stores deliveries that are already claimed, as part of a larger statement. */
export const claimedInsert = (
  { workspaceId }: Ctx,
  claims: readonly Claim[],
  template: { shared: OutboundTemplate; own: readonly (OutboundTemplate | undefined)[] },
) => {
  const rows = claims.map((claim, index) => ({ ...claim, template: template.own[index] }))
  return sql`
    insert into deliveries (workspace_id, id, message_id, conversation_id, channel_account_id, state, tries,
      template, not_before, claimed_by, claimed_at, created_at, updated_at)
    select ${workspaceId}, id, "messageId", "conversationId", "channelAccountId", 'sending', tries,
      coalesce(template, ${JSON.stringify(template.shared)}::jsonb), "createdAt", ${CLAIMANT}, "createdAt", "createdAt",
      "createdAt"
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as d (
      id text, "messageId" text, "conversationId" text, "channelAccountId" text, tries integer, template jsonb,
      "createdAt" timestamptz)
    order by id`
}

/**
 * `waiting` until a time, `busy` in another worker, `overtaken` by a person and to be withdrawn, or claimed by this
 * call.
 */
export type Head =
  | { is: 'claimed'; claim: Claim }
  | { is: 'busy' }
  | { is: 'overtaken' }
  | { is: 'waiting'; notBefore: Date }

/**
 * Claims the first open delivery of a conversation if it is due, so that nobody else sends it. Undefined if there is
 * none. One that is being sent holds up those behind it, so that messages are sent in order.
 *
 * The claim of an automated one locks its conversation's row in automation_states, and so does a person's message, until
 * its commit: either this claim is committed first, or it sees the epoch that the person raised. It waits for nothing
 * else, so that it can't be part of a deadlock.
 */
export const claimHead = async (ctx: Ctx, conversationId: string): Promise<Head | undefined> => {
  const now = ctx.now()
  const { rows } = await sql<
    {
      state: 'pending' | 'sending'
      notBefore: string
      isOvertaken: boolean
      claimedId: string | null
    } & Claim
  >`
    with head as (
      select id, state, not_before, only_if_epoch from deliveries
      where workspace_id = ${ctx.workspaceId} and conversation_id = ${conversationId}
        and state in ('pending', 'sending')
      order by id
      limit 1
    ), free as materialized (
      select d.id, d.not_before <= ${now} and ${isAtWork('d.workspace_id')} as is_due from head join deliveries d on d.workspace_id = ${ctx.workspaceId}
        and d.id = head.id and d.state = 'pending'
      for no key update of d skip locked
    ), speaker as materialized (
      select s.epoch from free join head on head.only_if_epoch is not null
      join automation_states s on s.workspace_id = ${ctx.workspaceId} and s.conversation_id = ${conversationId}
      for share of s
    ), overtaken as (
      select from head join free on true left join speaker on true
      where head.only_if_epoch is not null and (speaker.epoch > head.only_if_epoch) is not false
    ), claimed as (
      update deliveries d set state = 'sending', tries = d.tries + 1, claimed_by = ${CLAIMANT}, claimed_at = ${now},
        updated_at = ${now}
      from free
      where d.workspace_id = ${ctx.workspaceId} and d.id = free.id and free.is_due
        and not exists (select from overtaken)
      returning d.id, d.message_id, d.channel_account_id, d.tries, d.created_at, d.traceparent
    )
    select head.state, head.not_before as "notBefore", exists (select from overtaken) as "isOvertaken",
      claimed.id as "claimedId", head.id, claimed.message_id as "messageId",
      claimed.channel_account_id as "channelAccountId", claimed.tries, claimed.created_at as "createdAt", claimed.traceparent
    from head left join claimed on true`.execute(ctx.db)
  const row = rows[0]
  if (!row) return undefined
  if (row.claimedId) {
    const { id, messageId, channelAccountId, tries, createdAt, traceparent } = row
    return {
      is: 'claimed',
      claim: { id, messageId, conversationId, channelAccountId, tries, createdAt, traceparent },
    }
  }
  if (row.isOvertaken) return { is: 'overtaken' }
  const notBefore = new Date(row.notBefore)
  return row.state === 'pending' && notBefore > now ? { is: 'waiting', notBefore } : { is: 'busy' }
}

type Outbound = {
  channel: ChannelName
  id: string
  conversationId: string
  body: string
  subject: string | null
  createdAt: string
  workspaceName: string
  nickname: string | null
  contactId: string
  name: string
  email: string | null
  phone: string | null
  externalId: string | null
  replyToExternalId: string | null
  template: OutboundTemplate | null
  /** The options offered with it: see messages/choices.ts. */
  choices: unknown
  attachments: (UploadRow & { key: string })[]
}

/**
 * The provider's id of the contact, unless that is an email address or a phone number; kinds that sort first come
 * first, so that a WhatsApp number goes before a user id.
 */
export const externalIdKinds = sql`case c.channel ${sql.join(
  Object.entries(DEFINITIONS).flatMap(([channel, { identityKinds }]) => {
    const kinds = Object.keys(identityKinds).map((kind) => sql.lit(kind))
    return kinds.length > 0 ? [sql`when ${sql.lit(channel)} then array[${sql.join(kinds)}]`] : []
  }),
  sql` `,
)} end`

/** A message with everything that a channel needs to send it. */
export const findOutbound = async (
  { db, workspaceId }: Ctx,
  messageId: string,
): Promise<Outbound | undefined> => {
  const { rows } = await sql<Outbound>`
    select c.channel, m.id, c.id as "conversationId", m.body, m.metadata -> 'choices' as choices, c.subject,
      m.created_at as "createdAt",
      w.name as "workspaceName", a.nickname, k.id as "contactId", k.name, k.phone,
      coalesce(k.email, (select value from identities i
        where i.workspace_id = k.workspace_id and i.contact_id = k.id and i.kind = 'email'
        order by i.created_at, i.value limit 1)) as email,
      (select value from identities i
        where i.workspace_id = k.workspace_id and i.contact_id = k.id and i.kind = any(${externalIdKinds})
        order by i.kind, i.created_at desc, i.value limit 1) as "externalId",
      (select o.external_id from messages o
        where o.workspace_id = m.workspace_id and o.id = m.reply_to_message_id
          and o.conversation_id = m.conversation_id) as "replyToExternalId",
      (select template from deliveries d where d.workspace_id = m.workspace_id and d.message_id = m.id
        order by d.id desc limit 1) as template,
      (select coalesce(json_agg(json_build_object('id', f.id, 'type', f.type, 'name', f.name,
          'mimeType', f.mime_type, 'size', f.size, 'key', f.storage_key) order by f.id), '[]'::json)
        from attachments f
        where f.workspace_id = m.workspace_id and f.message_id = m.id and f.state = 'stored') as attachments
    from messages m
    join conversations c on c.workspace_id = m.workspace_id and c.id = m.conversation_id
    join contacts k on k.workspace_id = c.workspace_id and k.id = c.contact_id
    join workspaces w on w.id = m.workspace_id
    left join accounts a on a.id = m.sender_id
    where m.workspace_id = ${workspaceId} and m.id = ${messageId}`.execute(db)
  return rows[0]
}

export type Ending = {
  state: 'pending' | 'refused' | 'unconfirmed'
  notBefore?: Date
  failure?: { code: string; message: string }
}

/** Records how a try ended without acceptance. False if the delivery has changed meanwhile. */
export const endTry = async (
  { db, workspaceId, now }: Ctx,
  { id, tries }: Pick<Claim, 'id' | 'tries'>,
  { state, notBefore, failure }: Ending,
): Promise<boolean> => {
  const { numAffectedRows } = await sql`
    update deliveries set state = ${state}, not_before = coalesce(${notBefore ?? null}::timestamptz, not_before),
      error_code = ${failure?.code ?? null}, error_message = ${failure?.message ?? null}, updated_at = ${now()}
    where workspace_id = ${workspaceId} and id = ${id} and tries = ${tries} and state = 'sending'`.execute(db)
  return numAffectedRows === 1n
}

/** Messages behind a waiting one are not due before it, so that they are skipped when looking for due ones. */
export const holdBehind = async (
  { db, workspaceId }: Ctx,
  { id, conversationId }: Pick<Claim, 'id' | 'conversationId'>,
  until: Date,
): Promise<void> => {
  await sql`
    update deliveries set not_before = ${until}
    where workspace_id = ${workspaceId} and conversation_id = ${conversationId} and id > ${id}
      and state = 'pending' and not_before < ${until}`.execute(db)
}

type AcceptedMessage = {
  id: string
  conversationId: string
  contactId: string
  /** Its status has changed. */
  isMoved: boolean
  isOfBroadcast: boolean
  /** The provider's id was not stored, because another message on the account has it. */
  isIdTaken: boolean
}

/**
 * Records that a provider accepted messages, in one statement: their deliveries, their statuses unless they are further
 * along already, their provider's ids. Accepted always counts: a later try that waits is over too, so that nobody gets
 * the message twice.
 */
export const acceptAll = async (
  { db, workspaceId, now }: Ctx,
  rows: readonly (Omit<Claim, 'conversationId' | 'createdAt'> & { externalId: string | null })[],
): Promise<AcceptedMessage[]> => {
  const { rows: messages } = await sql<AcceptedMessage>`
    with input as materialized (
      select i.id, i.tries, i.message_id, i.external_id, o.yes is not null as is_id_taken
      from unnest(
        ${rows.map(({ id }) => id)}::text[], ${rows.map(({ tries }) => tries)}::integer[],
        ${rows.map(({ messageId }) => messageId)}::text[], ${rows.map(({ externalId }) => externalId)}::text[],
        ${rows.map(({ channelAccountId }) => channelAccountId)}::text[]
      ) i (id, tries, message_id, external_id, account)
      left join lateral (
        -- One look for each: without the limit, every id that the workspace knows would be hashed.
        select true as yes from messages o
        where o.workspace_id = ${workspaceId} and o.channel_account_id = i.account
          and o.external_id = i.external_id and o.external_id is not null and o.id <> i.message_id
        limit 1
      ) o on true
    ), delivery as (
      update deliveries d set state = 'accepted', error_code = null, error_message = null, updated_at = ${now()}
      from input i
      where d.workspace_id = ${workspaceId} and d.message_id = i.message_id
        and (d.id = i.id and d.tries = i.tries and d.state = 'sending'
          or (d.state in ('pending', 'unconfirmed') or d.error_code = 'DELIVERY_UNCONFIRMED')
            and not exists (select from deliveries n
              where n.workspace_id = d.workspace_id and n.message_id = d.message_id and n.id > d.id))
    ), held as (
      select m.id, i.external_id, i.is_id_taken, (${MOVES_FROM.sent}) is true as is_moved
      from input i join messages m on m.workspace_id = ${workspaceId} and m.id = i.message_id
      order by m.id
      for no key update of m
    ), message as (
      update messages m set
        status = case when held.is_moved then 'sent' else m.status end,
        metadata = case when held.is_moved then nullif(m.metadata - 'error', '{}'::jsonb) else m.metadata end,
        external_id = case when held.is_id_taken then m.external_id else coalesce(m.external_id, held.external_id) end
      from held
      where m.workspace_id = ${workspaceId} and m.id = held.id
      returning m.id, m.conversation_id, held.is_moved, held.is_id_taken, m.metadata ? 'broadcastId' as is_of_broadcast
    ), shown as (
      update conversations c set last_message_status = 'sent'
      from message
      where message.is_moved and c.workspace_id = ${workspaceId} and c.id = message.conversation_id
        and c.last_message_id = message.id
    )
    select message.id, message.conversation_id as "conversationId", c.contact_id as "contactId",
      message.is_moved as "isMoved", message.is_id_taken as "isIdTaken",
      coalesce(message.is_of_broadcast, false) as "isOfBroadcast"
    from message join conversations c on c.workspace_id = ${workspaceId} and c.id = message.conversation_id`.execute(
    db,
  )
  return messages
}

type Retrial = Claim & { template: OutboundTemplate | null }

/** Claims deliveries that wait for another try, unless another worker has. */
export const claimAgain = async (
  { db, workspaceId, now }: Ctx,
  messageIds: readonly string[],
): Promise<Retrial[]> => {
  const { rows } = await sql<Retrial>`
    update deliveries d set state = 'sending', tries = d.tries + 1, claimed_by = ${CLAIMANT}, claimed_at = ${now()},
      updated_at = ${now()}
    where d.workspace_id = ${workspaceId} and d.message_id = any(${messageIds}::text[]) and d.state = 'pending'
      and d.not_before <= ${now()}
    returning d.id, d.message_id as "messageId", d.conversation_id as "conversationId",
      d.channel_account_id as "channelAccountId", d.tries, d.created_at as "createdAt", d.template`.execute(
    db,
  )
  return rows
}

/** Those of the conversations with a message in one of these states. One index scan for all of them. */
export const listBusyConversations = async (
  { db, workspaceId }: Ctx,
  conversationIds: readonly string[],
  states: readonly ('pending' | 'sending')[],
): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    select distinct conversation_id as id from deliveries
    where workspace_id = ${workspaceId} and conversation_id = any(${conversationIds}::text[])
      and state in ('pending', 'sending') and state = any(${states}::text[])`.execute(db)
  return rows.map(({ id }) => id)
}

// The sweep looks over all workspaces at once; what it finds is then dealt with in each one's own context. -----------

export type Abandoned = {
  workspaceId: string
  id: string
  messageId: string
  conversationId: string
  channelAccountId: string
  tries: number
  channel: ChannelName
}

const ABANDONED = sql`
  select d.workspace_id as "workspaceId", d.id, d.message_id as "messageId", d.conversation_id as "conversationId",
    d.channel_account_id as "channelAccountId", d.tries, a.channel
  from deliveries d
  join channel_accounts a on a.workspace_id = d.workspace_id and a.id = d.channel_account_id`

/** Claims made before a time whose sender never recorded an outcome. */
export const listAbandoned = async (db: Db, claimedBefore: Date, limit: number): Promise<Abandoned[]> => {
  const { rows } = await sql<Abandoned>`${ABANDONED}
    where d.state = 'sending' and d.updated_at <= ${claimedBefore} and d.claimed_at <= ${claimedBefore}
      and ${isWritable('d.workspace_id')}
    order by d.updated_at
    limit ${limit}`.execute(db)
  return rows
}

/** Open claims of these processes. */
export const listClaimsOf = async (
  db: Db,
  claimants: readonly string[],
  limit: number,
): Promise<Abandoned[]> => {
  const { rows } = await sql<Abandoned>`${ABANDONED}
    where d.state = 'sending' and d.claimed_by = any(${claimants}::text[]) and ${isWritable('d.workspace_id')}
    limit ${limit}`.execute(db)
  return rows
}

/** This process's open claims that it does not know of. */
export const listOwnClaimsBeside = async (
  db: Db,
  known: readonly Pick<Claim, 'id' | 'tries'>[],
  limit: number,
): Promise<Abandoned[]> => {
  const { rows } = await sql<Abandoned>`${ABANDONED}
    where d.state = 'sending' and d.claimed_by = ${CLAIMANT} and ${isWritable('d.workspace_id')} and not exists (
      select from unnest(${known.map(({ id }) => id)}::text[], ${known.map(({ tries }) => tries)}::integer[]) k (id, tries)
      where k.id = d.id and k.tries = d.tries)
    limit ${limit}`.execute(db)
  return rows
}

/** When the oldest claim that is still open was made. */
export const findOldestClaim = async (db: Db): Promise<Date | undefined> => {
  const { rows } = await sql<{ at: string | null }>`
    select min(updated_at) as at from deliveries where state = 'sending'`.execute(db)
  return rows[0]?.at ? new Date(rows[0].at) : undefined
}

/**
 * A status may arrive before its send is recorded as unconfirmed: settles deliveries that already have one. Over all
 * workspaces; returns the messages.
 */
export const settleReported = async (
  db: Db,
  at: Date,
  limit: number,
): Promise<{ workspaceId: string; messageId: string }[]> => {
  const { rows } = await sql<{ workspaceId: string; messageId: string }>`
    update deliveries d set state = case m.status when 'failed' then 'refused' else 'accepted' end,
      error_code = m.metadata #>> '{error,code}', error_message = m.metadata #>> '{error,message}', updated_at = ${at}
    from messages m
    where m.workspace_id = d.workspace_id and m.id = d.message_id and m.status <> 'queued'
      and (d.workspace_id, d.id) in (
        select u.workspace_id, u.id from deliveries u
        join messages h on h.workspace_id = u.workspace_id and h.id = u.message_id and h.status <> 'queued'
        where u.state = 'unconfirmed' and ${isAtWork('u.workspace_id')}
          and not exists (select from deliveries n
            where n.workspace_id = u.workspace_id and n.message_id = u.message_id and n.id > u.id)
        limit ${limit})
    returning d.workspace_id as "workspaceId", d.message_id as "messageId"`.execute(db)
  return rows
}

/** Messages without any report since a time. */
export const listUnconfirmed = async (
  db: Db,
  claimedBefore: Date,
  limit: number,
): Promise<{ workspaceId: string; messageId: string }[]> => {
  const { rows } = await sql<{ workspaceId: string; messageId: string }>`
    select workspace_id as "workspaceId", message_id as "messageId" from deliveries
    where state = 'unconfirmed' and claimed_at <= ${claimedBefore} and ${isAtWork('workspace_id')}
    order by updated_at
    limit ${limit}`.execute(db)
  return rows
}

/** Messages that have waited since before a time, except those of broadcasts, which give up by themselves. */
export const listLate = async (
  db: Db,
  createdBefore: Date,
  limit: number,
): Promise<{ workspaceId: string; messageId: string }[]> => {
  const { rows } = await sql<{ workspaceId: string; messageId: string }>`
    select d.workspace_id as "workspaceId", d.message_id as "messageId" from deliveries d
    where d.state = 'pending' and d.created_at <= ${createdBefore} and ${isAtWork('d.workspace_id')}
      and not exists (select from broadcast_recipients r
        where r.workspace_id = d.workspace_id and r.message_id = d.message_id and r.outcome = 'pending')
    limit ${limit}`.execute(db)
  return rows
}
