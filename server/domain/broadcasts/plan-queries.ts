// The SQL of pausing, resuming and canceling broadcasts, and of what became of their messages.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { BroadcastResults } from './schema.ts'

/** Whether it was paused or canceled. */
export const isHeld = async ({ db, workspaceId }: Ctx, id: string): Promise<boolean> => {
  const { rows } = await sql`
    select from broadcasts where workspace_id = ${workspaceId} and id = ${id}
      and (paused_at is not null or canceled_at is not null)`.execute(db)
  return rows.length > 0
}

/** False if it has ended, or is in that state already. */
export const setPaused = async (
  { db, workspaceId, now }: Ctx,
  id: string,
  isPaused: boolean,
): Promise<boolean> => {
  const { rows } = await sql`
    update broadcasts set paused_at = ${isPaused ? now() : null}
    where workspace_id = ${workspaceId} and id = ${id} and status = 'sending' and canceled_at is null
      and (paused_at is null) = ${isPaused}
    returning id`.execute(db)
  return rows.length > 0
}

export const setCanceled = async ({ db, workspaceId, now }: Ctx, id: string): Promise<boolean> => {
  const { rows } = await sql`
    update broadcasts set canceled_at = ${now()}, paused_at = null, scheduled_at = null
    where workspace_id = ${workspaceId} and id = ${id} and status = 'sending' and canceled_at is null
    returning id`.execute(db)
  return rows.length > 0
}

/** The numbers that it is sent from. */
export const listPartAccounts = async ({ db, workspaceId }: Ctx, broadcastId: string): Promise<string[]> => {
  const rows = await db
    .selectFrom('broadcast_parts')
    .select('channel_account_id as id')
    .where('workspace_id', '=', workspaceId)
    .where('broadcast_id', '=', broadcastId)
    .orderBy('channel_account_id')
    .execute()
  return rows.map(({ id }) => id)
}

/** By primary keys: a row of recipients, its message and its conversation. */
export const findResults = async (
  { db, workspaceId }: Ctx,
  broadcastId: string,
): Promise<BroadcastResults> => {
  const { rows } = await sql<BroadcastResults>`
    select count(*) filter (where m.status in ('delivered', 'read')) as delivered,
      count(*) filter (where m.status = 'read') as read,
      count(*) filter (where c.last_inbound_at > m.created_at) as answered
    from broadcast_recipients r
    join messages m on m.workspace_id = r.workspace_id and m.id = r.message_id
    join conversations c on c.workspace_id = m.workspace_id and c.id = m.conversation_id
    where r.workspace_id = ${workspaceId} and r.broadcast_id = ${broadcastId}
      and r.outcome in ('sent', 'unconfirmed')`.execute(db)
  return rows[0]!
}
