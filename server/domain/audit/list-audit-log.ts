import type { Ctx } from '../../platform/ctx/ctx.ts'
import { startOf } from '../../platform/db/horizon.ts'
import { decodeCursor, encodeCursor, PAGE_DEFAULT } from '../../platform/db/pagination.ts'
import { listEntryRows } from './queries.ts'
import type { AuditLog, AuditQuery } from './schema.ts'

/** A page of the audit log, the newest first. Throws VALIDATION_ERROR for a cursor of another list. */
export const listAuditLog = async (
  ctx: Ctx,
  { cursor, limit = PAGE_DEFAULT, ...filter }: AuditQuery,
): Promise<AuditLog> => {
  const { actor, action, after, before } = filter
  const listing = ['listAuditLog', ctx.workspaceId, actor, action, after, before]
  const beforeId = await startOf(ctx, cursor === undefined ? null : decodeCursor(listing, cursor))
  const rows = await listEntryRows(ctx, { ...filter, beforeId, limit: limit + 1 })
  const entries = rows.slice(0, limit)
  const nextCursor = rows.length > limit ? encodeCursor(listing, { at: null, id: entries.at(-1)!.id }) : null
  return { entries, nextCursor }
}
