// The sums that a contact row keeps for the directory, and the directory's own (contact_counts): updated here, in the
// same transaction as the change they count.
import { randomInt } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { rowsOf } from '../../platform/db/rows-of.ts'
import { CHANNELS, type ChannelName } from '../../platform/db/tables.ts'

/** Each count is the sum of this many rows, so that contacts created at the same moment rarely wait for each other. */
const SHARDS = 8

/**
 * The shard for a statement to count in, as a part of it: one that no other transaction holds, so that a short
 * transaction does not wait for a batch of hundreds. Whoever counts in a shard, under any key, locks its total first.
 */
export const freeShard = ({ workspaceId }: Ctx): RawBuilder<number> => sql`coalesce(
  (select shard from contact_counts
    where workspace_id = ${workspaceId} and kind = 'total' and key = ''
    order by shard limit 1
    for no key update skip locked),
  (select n::smallint from generate_series(0, ${SHARDS - 1}::integer) n
    where not exists (select from contact_counts
      where workspace_id = ${workspaceId} and kind = 'total' and key = '' and shard = n)
    order by random() limit 1),
  ${randomInt(SHARDS)}::smallint)`

type Activity = {
  contactId: string
  conversationId: string
  /** The agent of that conversation, which becomes the contact's latest. */
  agentId: string | null
  at: Date
  openDelta?: -1 | 0 | 1
}

/**
 * touchActivity as part of a larger statement: `from` yields one row for each contact, named "contactId",
 * "conversationId", "agentId", "at" and "openDelta".
 */
export const activityUpdate = (ctx: Ctx, from: RawBuilder<unknown>) => sql`
  update contacts k set
    latest_conversation_id = a."conversationId",
    assigned_agent_id = a."agentId",
    last_activity_at = a.at,
    open_count = k.open_count + coalesce(a."openDelta", 0)
  from ${from} a
  where k.workspace_id = ${ctx.workspaceId} and k.id = a."contactId"`

/**
 * A conversation of each contact had activity, so it becomes the latest one. No contact occurs twice, and the caller
 * holds the contacts' row locks.
 */
export const touchActivity = async (ctx: Ctx, activities: Activity | readonly Activity[]): Promise<void> => {
  const from = sql`(
    select * from ${rowsOf([activities].flat())}
      as i ("contactId" text, "conversationId" text, "agentId" text, at timestamptz, "openDelta" integer))`
  await activityUpdate(ctx, from).execute(ctx.db)
}

/**
 * New, unassigned conversations of one channel: each becomes its contact's latest one, and if it is the contact's first
 * on the channel, the directory's facet is incremented. The caller holds the contacts' row locks.
 */
export const countOpenedConversations = async (
  ctx: Ctx,
  channel: ChannelName,
  opened: readonly { contactId: string; conversationId: string; at: Date }[],
): Promise<void> => {
  const groups = Map.groupBy(opened, ({ contactId }) => contactId)
  const rows = [...groups.values()].map((members) => ({
    ...members.at(-1)!,
    count: members.length,
  }))
  await sql`
    with input as (
      select * from ${rowsOf(rows)}
        as o ("contactId" text, "conversationId" text, at timestamptz, count integer)
    ), before as (
      select k.id from contacts k join input on k.id = input."contactId"
      where k.workspace_id = ${ctx.workspaceId} and not ${channel}::text = any(k.channels)
    ), contact as (
      update contacts k set
        conversation_count = k.conversation_count + input.count,
        open_count = k.open_count + input.count,
        channels = case when ${channel}::text = any(k.channels) then k.channels else array(
          select channel from unnest(k.channels || ${channel}::text) channel
          order by array_position(${[...CHANNELS]}::text[], channel)) end,
        latest_conversation_id = input."conversationId",
        assigned_agent_id = null,
        last_activity_at = input.at
      from input
      where k.workspace_id = ${ctx.workspaceId} and k.id = input."contactId"
    )
    insert into contact_counts (workspace_id, kind, key, shard, count)
    select ${ctx.workspaceId}, 'channel', ${channel}::text, ${freeShard(ctx)}, count(*)
    from before having count(*) > 0
    on conflict (workspace_id, kind, key, shard) do update set count = contact_counts.count + excluded.count`.execute(
    ctx.db,
  )
}
