import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { isAtWork } from '../../platform/db/closed-workspaces.ts'
import type { Db } from '../../platform/db/pool.ts'
import type { RetentionCounts } from '../../platform/db/tables.ts'
import type { RetentionPreview, RetentionRule } from './schema.ts'

type Scope = Pick<Ctx, 'db' | 'workspaceId' | 'now'>

/** What a rule does, and to conversations in which state. */
export type Part = 'close' | 'delete'
const STATUS = { close: 'open', delete: 'closed' } as const
const DAYS = { close: sql.ref('r.close_after_days'), delete: sql.ref('r.delete_after_days') }

/** Days of 24 hours, so that a clock that changes moves nothing. */
const before = (now: Date, days: unknown) => sql`${now}::timestamptz - make_interval(hours => 24 * ${days})`

const today = (now: Date): string => now.toISOString().slice(0, 10)

export const findRule = async (
  { db, workspaceId }: Pick<Scope, 'db' | 'workspaceId'>,
  channelAccountId: string,
): Promise<RetentionRule | undefined> => {
  const { rows } = await sql<RetentionRule>`
    select close_after_days as "closeAfterDays", delete_after_days as "deleteAfterDays" from retention_rules
    where workspace_id = ${workspaceId} and channel_account_id = ${channelAccountId}`.execute(db)
  return rows[0]
}

/** Applied from tomorrow on. */
export const upsertRule = async (
  { db, workspaceId, now }: Scope,
  channelAccountId: string,
  { closeAfterDays, deleteAfterDays }: RetentionRule,
): Promise<void> => {
  await sql`
    insert into retention_rules (workspace_id, channel_account_id, close_after_days, delete_after_days, done_on)
    values (${workspaceId}, ${channelAccountId}, ${closeAfterDays}, ${deleteAfterDays}, ${today(now())})
    on conflict (workspace_id, channel_account_id) do update set close_after_days = excluded.close_after_days,
      delete_after_days = excluded.delete_after_days, done_on = excluded.done_on`.execute(db)
}

/** For a removed account: closes and deletes all of its conversations, from now on. */
export const upsertDeletion = async ({ db, workspaceId }: Scope, channelAccountId: string): Promise<void> => {
  await sql`
    insert into retention_rules (workspace_id, channel_account_id, close_after_days, delete_after_days, done_on)
    values (${workspaceId}, ${channelAccountId}, 0, 0, '-infinity')
    on conflict (workspace_id, channel_account_id) do update set close_after_days = excluded.close_after_days,
      delete_after_days = excluded.delete_after_days, done_on = excluded.done_on`.execute(db)
}

export const previewRule = async (
  { db, workspaceId, now }: Scope,
  channelAccountId: string,
  { closeAfterDays, deleteAfterDays }: RetentionRule,
): Promise<RetentionPreview> => {
  const { rows } = await sql<{ status: 'open' | 'closed'; conversations: number; messages: number }>`
    select c.status, count(*) as conversations, coalesce(sum((select count(*) from messages m
      where m.workspace_id = c.workspace_id and m.conversation_id = c.id)), 0) as messages
    from channel_accounts a
    join conversations c on c.workspace_id = a.workspace_id and c.channel = a.channel and c.channel_account_id = a.id
      and (c.status = 'open' and c.updated_at < ${before(now(), sql`${closeAfterDays}::int`)}
        or c.status = 'closed' and c.updated_at < ${before(now(), sql`${deleteAfterDays}::int`)})
    where a.workspace_id = ${workspaceId} and a.id = ${channelAccountId}
    group by c.status`.execute(db)
  const of = (part: Part) => {
    const row = rows.find(({ status }) => status === STATUS[part])
    return { conversations: Number(row?.conversations ?? 0), messages: Number(row?.messages ?? 0) }
  }
  return { close: of('close'), delete: of('delete') }
}

export type Due = { workspaceId: string; channelAccountId: string }

/** Of all workspaces: what was not applied today, the longest waiting first. */
export const listDueRules = async (db: Db, now: Date, limit: number): Promise<Due[]> => {
  const { rows } = await sql<Due>`
    select workspace_id as "workspaceId", channel_account_id as "channelAccountId" from retention_rules
    where done_on < ${today(now)} and ${isAtWork('workspace_id')}
    order by done_on, workspace_id, channel_account_id limit ${limit}`.execute(db)
  return rows
}

/** What the rule says now: a change applies in the middle of a run. */
const dueConversations = ({ workspaceId, now }: Scope, channelAccountId: string, part: Part) => sql`
  from retention_rules r
  join channel_accounts a on a.workspace_id = r.workspace_id and a.id = r.channel_account_id
  join conversations c on c.workspace_id = r.workspace_id and c.channel = a.channel
    and c.channel_account_id = r.channel_account_id and c.status = ${STATUS[part]}
    and c.updated_at < ${before(now(), DAYS[part])}
  where r.workspace_id = ${workspaceId} and r.channel_account_id = ${channelAccountId}`

export const listDue = async (
  ctx: Scope,
  channelAccountId: string,
  { part, limit }: { part: Part; limit: number },
): Promise<{ id: string; contactId: string }[]> => {
  const { rows } = await sql<{ id: string; contactId: string }>`
    select c.id, c.contact_id as "contactId" ${dueConversations(ctx, channelAccountId, part)}
    order by c.updated_at, c.id limit ${limit}`.execute(ctx.db)
  return rows
}

/** The caller holds the conversation's lock. */
export const isStillDue = async (
  ctx: Scope,
  channelAccountId: string,
  { part, conversationId }: { part: Part; conversationId: string },
): Promise<boolean> => {
  const { rows } = await sql`
    select c.id ${dueConversations(ctx, channelAccountId, part)} and c.id = ${conversationId}`.execute(ctx.db)
  return rows.length === 1
}

/** Adds what was done, in its transaction. */
export const addDone = async (
  { db, workspaceId }: Scope,
  channelAccountId: string,
  counts: RetentionCounts,
): Promise<void> => {
  await sql`
    update retention_rules r set counts = r.counts || (
      select coalesce(jsonb_object_agg(key, value::bigint + coalesce((r.counts ->> key)::bigint, 0)), '{}')
      from jsonb_each_text(${JSON.stringify(counts)}::jsonb))
    where workspace_id = ${workspaceId} and channel_account_id = ${channelAccountId}`.execute(db)
}

/** Ends the rule's day. Returns what it did, and undefined if another process was first. */
export const takeDone = async (
  { db, workspaceId, now }: Scope,
  channelAccountId: string,
): Promise<{ name: string; counts: RetentionCounts } | undefined> => {
  const { rows } = await sql<{ name: string; counts: RetentionCounts }>`
    with done as (
      select workspace_id, channel_account_id, counts from retention_rules
      where workspace_id = ${workspaceId} and channel_account_id = ${channelAccountId} and done_on < ${today(now())}
      for update
    )
    update retention_rules r set done_on = ${today(now())}, counts = '{}'
    from done join channel_accounts a on a.workspace_id = done.workspace_id and a.id = done.channel_account_id
    where r.workspace_id = done.workspace_id and r.channel_account_id = done.channel_account_id
    returning a.name, done.counts`.execute(db)
  return rows[0]
}
