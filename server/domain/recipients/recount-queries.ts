// The SQL that finds broadcasts that would never end: recipients whose messages have changed without them, and counts
// lower than the recipients show. Neither should ever happen.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { isAtWork } from '../../platform/db/closed-workspaces.ts'
import type { Db } from '../../platform/db/pool.ts'
import { type Progress, progressColumns } from './recipient-queries.ts'

/** Messages with an outcome that their recipients do not have yet. Over all workspaces. */
export const listBehind = async (
  db: Db,
  limit: number,
): Promise<{ workspaceId: string; messageId: string }[]> => {
  const { rows } = await sql<{ workspaceId: string; messageId: string }>`
    select r.workspace_id as "workspaceId", r.message_id as "messageId"
    from broadcasts b
    join broadcast_recipients r on r.workspace_id = b.workspace_id and r.broadcast_id = b.id
    join messages m on m.workspace_id = r.workspace_id and m.id = r.message_id
    where b.status = 'sending' and r.outcome in ('pending', 'sending', 'unconfirmed') and m.status <> 'queued'
      and ${isAtWork('b.workspace_id')}
    limit ${limit}`.execute(db)
  return rows
}

const isOpen = sql`r.outcome in ('pending', 'sending', 'unconfirmed')`

/** Broadcasts still sending although all their recipients have an outcome. Over all workspaces. */
export const listEnded = async (
  db: Db,
  limit: number,
): Promise<{ workspaceId: string; broadcastId: string }[]> => {
  const { rows } = await sql<{ workspaceId: string; broadcastId: string }>`
    select b.workspace_id as "workspaceId", b.id as "broadcastId" from broadcasts b
    where b.status = 'sending' and ${isAtWork('b.workspace_id')} and not exists (select from broadcast_recipients r
      where r.workspace_id = b.workspace_id and r.broadcast_id = b.id and ${isOpen})
    limit ${limit}`.execute(db)
  return rows
}

/** A recipient and then its counts are changed under this lock, so no such change is half done. */
export const lockSending = async ({ db, workspaceId }: Ctx, broadcastId: string): Promise<boolean> => {
  const { rows } = await sql`
    select from broadcasts where workspace_id = ${workspaceId} and id = ${broadcastId} and status = 'sending'
    for no key update`.execute(db)
  return rows.length > 0
}

/** Undefined if a recipient is still open after all. */
export const recount = async (
  { db, workspaceId, now }: Ctx,
  broadcastId: string,
): Promise<Omit<Progress, 'isToAnnounce'> | undefined> => {
  const { rows } = await sql<Omit<Progress, 'isToAnnounce'>>`
    update broadcasts b set total_count = n.sent + n.failed, sent_count = n.sent, failed_count = n.failed,
      announced_at = ${now()}
    from (
      select count(*) filter (where r.outcome = 'sent')::integer as sent,
        count(*) filter (where r.outcome = 'failed')::integer as failed,
        count(*) filter (where ${isOpen}) as open
      from broadcast_recipients r
      where r.workspace_id = ${workspaceId} and r.broadcast_id = ${broadcastId}
    ) n
    where b.workspace_id = ${workspaceId} and b.id = ${broadcastId} and n.open = 0
    returning b.id as "broadcastId", 'ended' as step, ${progressColumns}`.execute(db)
  return rows[0]
}
