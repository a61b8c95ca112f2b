import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { rowsOf } from '../../platform/db/rows-of.ts'
import { automationRevision, type LockedConversation, lockedColumns, teamRevision } from './queries.ts'

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

type Revisions = Pick<LockedConversation, 'automationRevision' | 'teamRevision'>

/** Returns the workspace's revisions. */
export const insertConversations = async (
  ctx: Ctx,
  conversations: readonly (Omit<LockedConversation, keyof Revisions | 'isSnoozed' | 'isDisconnected'> & {
    createdAt: Date
    subject: string | null
  })[],
): Promise<Revisions> => {
  const { db, workspaceId } = ctx
  const { rows } = await sql<Revisions>`
    insert into conversations (workspace_id, id, channel, channel_account_id, contact_id, subject, created_at,
      updated_at)
    select ${workspaceId}, id, channel, "channelAccountId", "contactId", subject, "createdAt", "createdAt"
    from ${rowsOf(conversations)}
      as c (id text, channel text, "channelAccountId" text, "contactId" text, subject text,
        "createdAt" timestamptz)
    order by id
    returning ${automationRevision(ctx)} as "automationRevision", ${teamRevision(ctx)} as "teamRevision"`.execute(
    db,
  )
  return rows[0] ?? { automationRevision: null, teamRevision: null }
}
