// All SQL of the audit log.
import { sql } from 'kysely'
import type { Client, Ctx } from '../../platform/ctx/ctx.ts'
import { idFloor } from '../../platform/db/id.ts'
import type { Db } from '../../platform/db/pool.ts'
import type { AuditAction, AuditEntry, AuditQuery } from './schema.ts'

export const USER_AGENT_MAX = 300
const NAME_MAX = 200

export type EntryRow = {
  workspaceId: string
  action: AuditAction
  actor: string
  target: { type: string; id?: string | null; name?: string | null } | undefined
  changes: object
  requestId: string | undefined
  client: Client | undefined
}

export const insertEntries = async (
  { db, newId, now }: Pick<Ctx, 'db' | 'newId' | 'now'>,
  entries: readonly EntryRow[],
): Promise<void> => {
  if (entries.length === 0) return
  await db
    .insertInto('audit_log')
    .values(
      entries.map(({ workspaceId, action, actor, target, changes, requestId, client }) => ({
        workspace_id: workspaceId,
        id: newId(),
        action,
        actor,
        target_type: target?.type ?? null,
        target_id: target?.id ?? null,
        target_name: target?.name?.slice(0, NAME_MAX) ?? null,
        address: client?.address ?? null,
        user_agent: client?.userAgent?.slice(0, USER_AGENT_MAX) ?? null,
        request_id: requestId ?? null,
        changes: JSON.stringify(changes),
        created_at: now(),
      })),
    )
    .execute()
}

type Wanted = Omit<AuditQuery, 'cursor' | 'limit'> & { beforeId: string; limit: number }

/** The newest first, in one statement. Names are those of today, as accounts and tokens are never deleted. */
export const listEntryRows = async (
  { db, workspaceId }: Ctx,
  { actor, action, after, before, beforeId, limit }: Wanted,
): Promise<AuditEntry[]> => {
  const { rows } = await sql<AuditEntry>`
    select l.id, l.created_at as "createdAt", l.action,
      json_build_object('type', split_part(l.actor, ':', 1), 'id', nullif(split_part(l.actor, ':', 2), ''),
        'name', case split_part(l.actor, ':', 1)
          when 'agent' then (select nickname from accounts where id = split_part(l.actor, ':', 2))
          when 'ai' then (select nickname from accounts where id = split_part(l.actor, ':', 2))
          when 'token' then (select name from api_tokens t
            where t.workspace_id = l.workspace_id and t.id = split_part(l.actor, ':', 2)) end) as actor,
      case when l.target_type is not null
        then json_build_object('type', l.target_type, 'id', l.target_id, 'name', l.target_name) end as target,
      l.address, l.user_agent as "userAgent", l.request_id as "requestId", l.changes
    from audit_log l
    where l.workspace_id = ${workspaceId} and l.id < ${beforeId}
      ${actor === undefined ? sql`` : sql`and l.actor = ${actor}`}
      ${action === undefined ? sql`` : sql`and l.action = ${action}`}
      ${after === undefined ? sql`` : sql`and l.id >= ${idFloor(Date.parse(after))}`}
      ${before === undefined ? sql`` : sql`and l.id < ${idFloor(Date.parse(before))}`}
    order by l.id desc limit ${limit}`.execute(db)
  return rows
}

/** Deletes entries from before a time, at most `limit`. Returns how many there were. */
export const deleteOldEntries = async (db: Db, before: Date, limit: number): Promise<number> => {
  const { numAffectedRows } = await sql`
    delete from audit_log where (workspace_id, id) in (
      select workspace_id, id from audit_log where created_at < ${before} order by created_at limit ${limit})`.execute(
    db,
  )
  return Number(numAffectedRows ?? 0)
}
