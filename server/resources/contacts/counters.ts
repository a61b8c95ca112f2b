// The sums that a contact row carries for the directory, and the directory's own (contact_counts): changed here, in
// the transaction of whatever changed them.
import { randomInt } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../ctx.ts'
import { CHANNELS, type ChannelName } from '../../db/tables.ts'

/** Each count is the sum of this many rows, so that contacts made at the same moment seldom wait for each other. */
const SHARDS = 8

export const randomShard = (): number => randomInt(SHARDS)

type Activity = {
  conversationId: string
  /** The agent of that conversation, which is the contact's latest from now on. */
  agentId: string | null
  at: Date
  openDelta?: -1 | 0 | 1
}

/** noteActivity as a part of a larger statement. */
export const activityUpdate = (ctx: Ctx, contactId: string, activity: Activity) => sql`
  update contacts set
    latest_conversation_id = ${activity.conversationId},
    assigned_agent_id = ${activity.agentId},
    last_activity_at = ${activity.at},
    open_count = open_count + ${activity.openDelta ?? 0}::integer
  where workspace_id = ${ctx.workspaceId} and id = ${contactId}`

/** A conversation of the contact moved: it becomes the latest one. The caller holds the contact's row lock. */
export const noteActivity = async (ctx: Ctx, contactId: string, activity: Activity): Promise<void> => {
  await activityUpdate(ctx, contactId, activity).execute(ctx.db)
}

/**
 * The same for many contacts: `from` yields one row for each, named "contactId", "conversationId" and "agentId", as of
 * the conversation that is the contact's latest from now on.
 */
export const activitiesUpdate = (ctx: Ctx, from: RawBuilder<unknown>, at: Date) => sql`
  update contacts k set
    latest_conversation_id = l."conversationId",
    assigned_agent_id = l."agentId",
    last_activity_at = ${at}
  from ${from} l
  where k.workspace_id = ${ctx.workspaceId} and k.id = l."contactId"`

type ActivityOfOne = { contactId: string; conversationId: string }

/** noteActivity for many contacts in one statement: the conversation of each is its latest from now on. */
export const noteActivities = async (
  ctx: Ctx,
  activities: ActivityOfOne[],
  { agentId, at }: { agentId: string | null; at: Date },
): Promise<void> => {
  await sql`
    update contacts k
    set latest_conversation_id = a.conversation_id, assigned_agent_id = ${agentId}, last_activity_at = ${at}
    from unnest(
      ${activities.map(({ contactId }) => contactId)}::text[],
      ${activities.map(({ conversationId }) => conversationId)}::text[]
    ) a (contact_id, conversation_id)
    where k.workspace_id = ${ctx.workspaceId} and k.id = a.contact_id`.execute(ctx.db)
}

/** noteConversationOpened for many new conversations of one channel that nobody is assigned to, in one statement. */
export const noteConversationsOpened = async (
  ctx: Ctx,
  channel: ChannelName,
  opened: readonly { contactId: string; conversationId: string }[],
  at: Date,
): Promise<void> => {
  const groups = Map.groupBy(opened, ({ contactId }) => contactId)
  const rows = [...groups].map(([contactId, members]) => ({
    contactId,
    conversationId: members.at(-1)!.conversationId,
    count: members.length,
  }))
  await sql`
    with input as (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as o ("contactId" text, "conversationId" text, count integer)
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
        last_activity_at = ${at}
      from input
      where k.workspace_id = ${ctx.workspaceId} and k.id = input."contactId"
    )
    insert into contact_counts (workspace_id, kind, key, shard, count)
    select ${ctx.workspaceId}, 'channel', ${channel}::text, ${randomShard()}::smallint, count(*)
    from before having count(*) > 0
    on conflict (workspace_id, kind, key, shard) do update set count = contact_counts.count + excluded.count`.execute(
    ctx.db,
  )
}

type Opened = {
  conversationId: string
  channel: ChannelName
  agentId: string | null
  at: Date
  /** False when a closed conversation of the contact was opened again: then it is counted as open, not as one more. */
  isNew: boolean
}

/**
 * A conversation of the contact went from nothing, or from closed, to open: it becomes the latest one, and where the
 * channel is the contact's first of its kind the directory's facet counts one more. The caller holds the contact's row
 * lock. Not for a conversation that was open already: that is noteActivity.
 */
export const noteConversationOpened = async (ctx: Ctx, contactId: string, opened: Opened): Promise<void> => {
  const { channel, isNew } = opened
  await sql`
    with before as (
      select channels from contacts
      where workspace_id = ${ctx.workspaceId} and id = ${contactId}
      for no key update
    ), contact as (
      update contacts set
        conversation_count = conversation_count + ${isNew ? 1 : 0}::integer,
        open_count = open_count + 1,
        channels = case when ${channel}::text = any(channels) then channels else array(
          select channel from unnest(channels || ${channel}::text) channel
          order by array_position(${[...CHANNELS]}::text[], channel)) end,
        latest_conversation_id = ${opened.conversationId},
        assigned_agent_id = ${opened.agentId},
        last_activity_at = ${opened.at}
      where workspace_id = ${ctx.workspaceId} and id = ${contactId}
    )
    insert into contact_counts (workspace_id, kind, key, shard, count)
    select ${ctx.workspaceId}, 'channel', ${channel}::text, ${randomShard()}::smallint, 1
    from before where not ${channel}::text = any(channels)
    on conflict (workspace_id, kind, key, shard) do update set count = contact_counts.count + 1`.execute(
    ctx.db,
  )
}
