// All SQL for reading mailboxes: which ones exist, and how far each has been read.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { isAtWork } from '../../platform/db/closed-workspaces.ts'
import type { Db } from '../../platform/db/pool.ts'

export type Cursor = { uidValidity: string; lastUid: number; readAt: Date }

export const findCursor = async (
  { db, workspaceId }: Pick<Ctx, 'db' | 'workspaceId'>,
  channelAccountId: string,
): Promise<Cursor | undefined> => {
  const { rows } = await sql<{ uidValidity: string; lastUid: number; readAt: string }>`
    select uid_validity as "uidValidity", last_uid::float8 as "lastUid", read_at as "readAt"
    from mailbox_cursors
    where workspace_id = ${workspaceId} and channel_account_id = ${channelAccountId}`.execute(db)
  const [row] = rows
  return row && { ...row, readAt: new Date(row.readAt) }
}

/** Everything up to the UID has been read. It never decreases while the folder's UIDVALIDITY is the same. */
export const setCursor = async (
  { db, workspaceId, now }: Pick<Ctx, 'db' | 'workspaceId' | 'now'>,
  channelAccountId: string,
  { uidValidity, lastUid }: Omit<Cursor, 'readAt'>,
): Promise<void> => {
  await sql`
    insert into mailbox_cursors as m (workspace_id, channel_account_id, uid_validity, last_uid, read_at)
    values (${workspaceId}, ${channelAccountId}, ${uidValidity}, ${lastUid}, ${now()})
    on conflict (workspace_id, channel_account_id) do update set
      last_uid = case when m.uid_validity = excluded.uid_validity
        then greatest(m.last_uid, excluded.last_uid) else excluded.last_uid end,
      uid_validity = excluded.uid_validity,
      read_at = excluded.read_at`.execute(db)
}

/** How long ago the most overdue mailbox was read to its end, in seconds; 0 if there are none. */
export const oldestReadSeconds = async (db: Db): Promise<number> => {
  const { rows } = await sql<{ seconds: number }>`
    select coalesce(extract(epoch from now() - min(read_at)), 0)::float8 as seconds from mailbox_cursors
    where ${isAtWork('workspace_id')}`.execute(db)
  return rows[0]!.seconds
}
