import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { rowsOf } from '../../platform/db/rows-of.ts'
import type { ChannelName } from '../../platform/db/tables.ts'
import {
  accountTeams,
  automationRevision,
  type LockedConversation,
  lockedColumns,
  teamRevision,
} from './queries.ts'

/**
 * For each contact and account the open conversation, else the most recent one. The caller holds the contacts' row
 * locks, which are required to change their conversations.
 */
export const findContinuable = async (
  ctx: Ctx,
  pairs: readonly { contactId: string; channelAccountId: string }[],
): Promise<LockedConversation[]> => {
  const { db, workspaceId } = ctx
  const { rows } = await sql<LockedConversation>`
    select ${lockedColumns(ctx)}
    from unnest(
      ${pairs.map(({ contactId }) => contactId)}::text[],
      ${pairs.map(({ channelAccountId }) => channelAccountId)}::text[]
    ) q (contact, account)
    cross join lateral (
      select * from conversations
      where workspace_id = ${workspaceId} and contact_id = q.contact and channel_account_id = q.account
      order by (status = 'open') desc, updated_at desc, id desc
      limit 1
    ) c`.execute(db)
  return rows
}

type Given = Pick<LockedConversation, 'id' | 'teamId' | 'automationRevision' | 'teamRevision'>

/** What a customer begins comes to the team of the channel account. Returns the teams, and the workspace's revisions. */
export const insertConversations = async (
  ctx: Ctx,
  conversations: readonly {
    id: string
    channel: ChannelName
    channelAccountId: string
    contactId: string
    subject: string | null
    isFromCustomer: boolean
    createdAt: Date
  }[],
): Promise<Given[]> => {
  const { db, workspaceId } = ctx
  const teamed = conversations.filter(({ isFromCustomer }) => isFromCustomer)
  const { rows } = await sql<Given>`
    with account_team as (
      ${accountTeams(ctx, sql`a.id = any(${teamed.map((one) => one.channelAccountId)}::text[])`)}
    )
    insert into conversations (workspace_id, id, channel, channel_account_id, contact_id, subject, team_id, created_at,
      updated_at)
    select ${workspaceId}, c.id, channel, "channelAccountId", "contactId", subject, t.team_id, "createdAt", "createdAt"
    from ${rowsOf(conversations)}
      as c (id text, channel text, "channelAccountId" text, "contactId" text, subject text, "isFromCustomer" boolean,
        "createdAt" timestamptz)
    left join account_team t on c."isFromCustomer" and t.channel_account_id = c."channelAccountId"
    order by c.id
    returning id, team_id as "teamId", ${automationRevision(ctx)} as "automationRevision",
      ${teamRevision(ctx)} as "teamRevision"`.execute(db)
  return rows
}
