// All SQL of conversations and their messages.
import { type Nullable, type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { rowsOf } from '../../platform/db/rows-of.ts'
import type { ChannelName, ConversationStatus } from '../../platform/db/tables.ts'
import { seenBy } from '../visible-conversations.ts'
import type { Assignment } from './schema.ts'
import { seqOf } from './unread.ts'

export type LockedConversation = {
  id: string
  channel: ChannelName
  channelAccountId: string
  contactId: string
  status: ConversationStatus
  agentId: string | null
  teamId: string | null
  /** The next message's id is made to sort after it. */
  lastMessageId: string | null
  /** Of the workspace, for `liveFlowsOf`; null if nothing that happens here concerns automation. */
  automationRevision: number | null
  /** Of the workspace, for `teamSettingsOf`; null if it has neither teams nor targets. */
  teamRevision: number | null
  isSnoozed: boolean
  /** Its channel account was removed. */
  isDisconnected: boolean
}

/** Read by the statements that lock conversations, so that it costs none of its own. */
export const automationRevision = ({ workspaceId }: Pick<Ctx, 'workspaceId'>) =>
  sql<number | null>`(select automation_revision from workspaces where id = ${workspaceId} and is_automated)`

/** Read in the same way. */
export const teamRevision = ({ workspaceId }: Pick<Ctx, 'workspaceId'>) =>
  sql<number | null>`(select team_revision from workspaces where id = ${workspaceId})`

/** A LockedConversation, of the row `c`. */
export const lockedColumns = (ctx: Pick<Ctx, 'workspaceId'>) => sql`
  c.id, c.channel, c.channel_account_id as "channelAccountId", c.contact_id as "contactId", c.status,
  c.agent_id as "agentId", c.team_id as "teamId", c.last_message_id as "lastMessageId",
  ${automationRevision(ctx)} as "automationRevision", ${teamRevision(ctx)} as "teamRevision", c.snoozed_until is not null as "isSnoozed",
  exists (select from channel_accounts a where a.workspace_id = ${ctx.workspaceId} and a.id = c.channel_account_id
    and a.removed_at is not null) as "isDisconnected"`

/**
 * Locks the conversation and its contact's row until the transaction ends; undefined if it does not exist in the
 * workspace, or the actor may not see it. Every write on a conversation starts here, and always locks the contact
 * before the conversation, so that writers wait for each other and never deadlock.
 */
export const lockConversation = async (ctx: Ctx, id: string): Promise<LockedConversation | undefined> => {
  const { db, workspaceId, actor } = ctx
  const find = sql<LockedConversation>`
    select ${lockedColumns(ctx)}
    from contacts k
    join conversations c on c.workspace_id = k.workspace_id and c.contact_id = k.id
    where c.workspace_id = ${workspaceId} and c.id = ${id}${seenBy(actor, 'c')}
    for no key update of k, c`
  const { rows } = await find.execute(db)
  // A merge that it waited for gave it to another contact, which only a new statement sees.
  return rows[0] ?? (await find.execute(db)).rows[0]
}

/** The same for several, in an order that all who lock several keep to. */
export const lockConversations = async (ctx: Ctx, ids: readonly string[]): Promise<void> => {
  const { db, workspaceId, actor } = ctx
  await sql`
    select from contacts k
    join conversations c on c.workspace_id = k.workspace_id and c.contact_id = k.id
    where c.workspace_id = ${workspaceId} and c.id = any(${ids}::text[])${seenBy(actor, 'c')}
    order by k.id, c.id
    for no key update of k, c`.execute(db)
}

/** The teams of channel accounts `a`, which are kept from being removed until the transaction ends. */
export const accountTeams = ({ workspaceId }: Pick<Ctx, 'workspaceId'>, which: RawBuilder<unknown>) => sql`
  select a.id as channel_account_id, t.id as team_id from channel_accounts a
  join teams t on t.workspace_id = a.workspace_id and t.id = a.team_id and t.removed_at is null
  where a.workspace_id = ${workspaceId} and ${which}
  for share of t`

/**
 * Sets the status. On reopening, an agent who has left the workspace is unassigned, so that the conversation shows up
 * among the unassigned, and so is a team that was removed. Without a team, it comes to that of the channel account if
 * the customer reopens it. Returns both as they are afterwards.
 */
export const setConversationStatus = async (
  ctx: Ctx,
  id: string,
  status: ConversationStatus,
  at: Date,
  { isFromCustomer = false } = {},
): Promise<{ agentId: string | null; teamId: string | null }> => {
  const { db, workspaceId } = ctx
  const ofConversation = sql`a.id = (select channel_account_id from conversations
    where workspace_id = ${workspaceId} and id = ${id})`
  const isHere = sql`exists (select from memberships m
    where m.workspace_id = c.workspace_id and m.account_id = c.agent_id and m.removed_at is null)`
  const seq = sql.raw(seqOf('c'))
  const { rows } = await sql<{ agentId: string | null; teamId: string | null }>`
    with ended as (
      update waits w set ended_at = ${at} from conversations k
      where ${status}::text = 'closed' and k.workspace_id = ${workspaceId} and k.id = ${id}
        and w.workspace_id = ${workspaceId} and w.id = k.wait_id
    ), account_team as (${accountTeams(ctx, isFromCustomer ? ofConversation : sql`false`)})
    update conversations c set status = ${status}, updated_at = ${at}, wait_id = null, answer_due_at = null,
      closed_seq = case when ${status}::text = 'closed' then ${seq} else closed_seq end,
      inbound_seq = ${seq},
      waiting_since = case when ${status}::text = 'closed' then null else waiting_since end,
      snoozed_until = null, snoozed_by = null,
      agent_id = case when ${status}::text = 'closed' or ${isHere} then agent_id end,
      assigned_at = case when ${status}::text = 'closed' or ${isHere} then assigned_at end,
      team_id = case when ${status}::text = 'closed' or exists (select from teams t
        where t.workspace_id = c.workspace_id and t.id = c.team_id and t.removed_at is null) then team_id else (select team_id from account_team) end
    where c.workspace_id = ${workspaceId} and c.id = ${id}
    returning agent_id as "agentId", team_id as "teamId"`.execute(db)
  return rows[0]!
}

type SystemEntry = {
  /** Left out: made now. */
  id?: string | undefined
  conversation: Pick<LockedConversation, 'id' | 'channelAccountId'>
  body: string
  metadata: Record<string, unknown>
}

/**
 * Many lines in their order, as part of a larger statement; `id` is made when the thing happens, so that the line sorts
 * among messages.
 */
export const systemEntriesInsert = (
  { workspaceId, now }: Ctx,
  entries: readonly (SystemEntry & { id: string })[],
) => {
  const rows = entries.map(({ conversation, ...entry }) => ({
    ...entry,
    conversationId: conversation.id,
    channelAccountId: conversation.channelAccountId,
  }))
  return sql`
    insert into messages
      (workspace_id, id, conversation_id, channel_account_id, sender_type, sender_id, body, status, metadata, created_at)
    select ${workspaceId}, id, "conversationId", "channelAccountId", 'system', 'system', body, 'sent', metadata, ${now()}
    from ${rowsOf(rows)} as e (id text, "conversationId" text, "channelAccountId" text, body text, metadata jsonb)
    order by id`
}

/** A line in the thread that says what happened to the conversation. It is no message, so lists and counts skip it. */
export const insertSystemEntry = async (
  ctx: Ctx,
  { id = ctx.newId(), conversation, body, metadata }: SystemEntry,
): Promise<void> => {
  await ctx.db
    .insertInto('messages')
    .values({
      workspace_id: ctx.workspaceId,
      id,
      conversation_id: conversation.id,
      channel_account_id: conversation.channelAccountId,
      sender_type: 'system',
      sender_id: 'system',
      body,
      status: 'sent',
      metadata: JSON.stringify(metadata),
      created_at: ctx.now(),
    })
    .execute()
}

/** The most recently active open conversation of a contact on a channel, locked. The caller holds the contact's lock. */
export const lockOpenOnChannel = async (
  ctx: Ctx,
  contactId: string,
  channel: ChannelName,
): Promise<(LockedConversation & { createdAt: string }) | undefined> => {
  const { db, workspaceId } = ctx
  const { rows } = await sql<LockedConversation & { createdAt: string }>`
    select ${lockedColumns(ctx)}, c.created_at as "createdAt" from conversations c
    where workspace_id = ${workspaceId} and contact_id = ${contactId} and channel = ${channel} and status = 'open'
    order by updated_at desc, id desc
    limit 1
    for no key update`.execute(db)
  return rows[0]
}

/** Records activity that is no message, such as a note. */
export const touchConversation = async ({ db, workspaceId }: Ctx, id: string, at: Date): Promise<void> => {
  await db
    .updateTable('conversations')
    .set({ updated_at: at })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

export const setAgent = async (
  { db, workspaceId }: Ctx,
  id: string,
  agentId: string | null,
  at: Date,
): Promise<{ answerDueAt: string | null }> =>
  db
    .updateTable('conversations')
    .set({ agent_id: agentId, assigned_at: agentId && at, updated_at: at })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .returning('answer_due_at as answerDueAt')
    .executeTakeFirstOrThrow()

/** Who has the conversation, as the API shows it, and when the customer has to be answered. */
export const findStanding = async (
  { db, workspaceId }: Ctx,
  conversationId: string,
): Promise<{ assignment: Assignment | null; answerDueAt: string | null }> => {
  const { rows } = await sql<Nullable<Assignment> & { answerDueAt: string | null }>`
    select c.agent_id as "agentId", a.nickname as "agentNickname",
      coalesce(c.assigned_at, c.updated_at) as "assignedAt", c.answer_due_at as "answerDueAt"
    from conversations c left join accounts a on a.id = c.agent_id
    where c.workspace_id = ${workspaceId} and c.id = ${conversationId}`.execute(db)
  const { agentId, agentNickname, assignedAt, answerDueAt } = rows[0]!
  const isAssigned = agentId !== null && agentNickname !== null && assignedAt !== null
  return { assignment: isAssigned ? { agentId, agentNickname, assignedAt } : null, answerDueAt }
}

type Candidate = {
  id: string
  nickname: string
  isAi: boolean
  /** Null: never a member here. */
  isActiveHere: boolean | null
  isActiveElsewhere: boolean
}

/**
 * The account that an agent id (or `ai`) names, and its memberships. A membership here is locked against removal until
 * the transaction ends, so that nothing is assigned to an agent who is being removed.
 */
export const lockCandidate = async (
  { db, workspaceId }: Ctx,
  agentId: string,
): Promise<Candidate | undefined> => {
  const { rows } = await sql<Candidate>`
    with here as (
      select account_id, removed_at is null as is_active from memberships
      where workspace_id = ${workspaceId}
        and account_id = (select id from accounts where ${agentId === 'ai' ? sql`is_ai` : sql`id = ${agentId}`})
      for share
    )
    select a.id, a.nickname, a.is_ai as "isAi", here.is_active as "isActiveHere",
      exists (select from memberships m
        where m.account_id = a.id and m.workspace_id <> ${workspaceId} and m.removed_at is null) as "isActiveElsewhere"
    from accounts a left join here on here.account_id = a.id
    where ${agentId === 'ai' ? sql`a.is_ai` : sql`a.id = ${agentId}`}`.execute(db)
  return rows[0]
}

/** Another open conversation of the contact if only one is allowed, locked. The caller holds the contact's lock. */
export const lockOtherOpen = async (
  ctx: Ctx,
  { id, contactId, channelAccountId }: LockedConversation,
): Promise<LockedConversation | undefined> => {
  const { db, workspaceId } = ctx
  const { rows } = await sql<LockedConversation>`
    select ${lockedColumns(ctx)} from conversations c
    where workspace_id = ${workspaceId} and contact_id = ${contactId} and channel_account_id = ${channelAccountId}
      and status = 'open' and channel <> 'email' and id <> ${id}
    for no key update`.execute(db)
  return rows[0]
}
