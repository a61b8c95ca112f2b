// The SQL of files that visitors upload, and of how many more they may.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { Db } from '../../platform/db/pool.ts'
import type { FileType } from '../attachments/queries.ts'

type Scope = Pick<Ctx, 'db' | 'workspaceId'>

export type VisitorFile = { id: string; type: FileType; name: string; mimeType: string; size: number }

type Named = { visitorId: string; clientId: string }

/** Uploads of a workspace begin, and are completed, one after another: until the transaction ends. */
export const lockVisitorFiles = async ({ db, workspaceId }: Scope): Promise<void> => {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`visitor files ${workspaceId}`}, 0))`.execute(db)
}

/**
 * What was uploaded, or begun, under the page's id. `attachmentId`: of the last attempt; `file`: if that is complete, and
 * in a message or from after a time.
 */
export const findVisitorFile = async (
  { db, workspaceId }: Scope,
  { visitorId, clientId, since }: Named & { since: Date },
): Promise<{ size: number; attachmentId: string | null; file: VisitorFile | null } | undefined> => {
  const { rows } = await sql<{ size: number; attachmentId: string | null; file: VisitorFile | null }>`
    select f.size::float8 as size, f.attachment_id as "attachmentId",
      case when a.id is not null then json_build_object('id', a.id, 'type', a.type, 'name', a.name,
        'mimeType', a.mime_type, 'size', a.size) end as file
    from visitor_files f
    left join attachments a on a.workspace_id = f.workspace_id and a.id = f.attachment_id and a.state = 'stored'
      and (a.message_id is not null or a.created_at >= ${since})
    where f.workspace_id = ${workspaceId} and f.visitor_id = ${visitorId} and f.client_id = ${clientId}`.execute(
    db,
  )
  return rows[0]
}

export type Used = {
  visitorFiles: number
  visitorBytes: number
  addressFiles: number
  addressBytes: number
  hourBytes: number
  dayBytes: number
}

/** All but the one of this page's id. Call with lockVisitorFiles. */
export const countVisitorFiles = async (
  { db, workspaceId }: Scope,
  { visitorId, clientId, address, hourAgo, dayAgo }: Named & { address: string; hourAgo: Date; dayAgo: Date },
): Promise<Used> => {
  const inHour = sql`created_at > ${hourAgo}`
  const { rows } = await sql<Used>`
    select
      count(*) filter (where ${inHour} and visitor_id = ${visitorId})::integer as "visitorFiles",
      coalesce(sum(size) filter (where ${inHour} and visitor_id = ${visitorId}), 0)::float8 as "visitorBytes",
      count(*) filter (where ${inHour} and address = ${address})::integer as "addressFiles",
      coalesce(sum(size) filter (where ${inHour} and address = ${address}), 0)::float8 as "addressBytes",
      coalesce(sum(size) filter (where ${inHour}), 0)::float8 as "hourBytes",
      coalesce(sum(size), 0)::float8 as "dayBytes"
    from visitor_files where workspace_id = ${workspaceId} and created_at > ${dayAgo}
      and not (visitor_id = ${visitorId} and client_id = ${clientId})`.execute(db)
  return rows[0]!
}

/** Counts an upload from now on, the only one of its page's id. */
export const beginVisitorFile = async (
  { db, workspaceId, now }: Scope & Pick<Ctx, 'now'>,
  file: Named & { size: number; address: string; attachmentId: string },
): Promise<void> => {
  const { visitorId, clientId, size, address, attachmentId } = file
  await sql`
    insert into visitor_files (workspace_id, visitor_id, client_id, size, address, attachment_id, created_at)
    values (${workspaceId}, ${visitorId}, ${clientId}, ${size}, ${address}, ${attachmentId}, ${now()})
    on conflict (workspace_id, visitor_id, client_id) do update set size = excluded.size,
      address = excluded.address, attachment_id = excluded.attachment_id, created_at = excluded.created_at`.execute(
    db,
  )
}

/** Whether this is still the last attempt. Call with lockVisitorFiles. */
export const isLastAttempt = async (
  { db, workspaceId }: Scope,
  { visitorId, clientId, attachmentId }: Named & { attachmentId: string },
): Promise<boolean> => {
  const { rows } = await sql`
    select 1 from visitor_files
    where workspace_id = ${workspaceId} and visitor_id = ${visitorId} and client_id = ${clientId}
      and attachment_id = ${attachmentId}`.execute(db)
  return rows.length > 0
}

/**
 * Which of the files the visitor uploaded after a time and has in no message, or has in the one of this external id. They
 * are locked, so that it stays so until the transaction ends.
 */
export const lockSendableFiles = async (
  { db, workspaceId }: Scope,
  {
    visitorId,
    ids,
    externalId,
    since,
  }: { visitorId: string; ids: readonly string[]; externalId: string | null; since: Date },
): Promise<string[]> => {
  const own = sql`
    from visitor_files f
    join attachments a on a.workspace_id = f.workspace_id and a.id = f.attachment_id and a.state = 'stored'
    left join messages m on m.workspace_id = a.workspace_id and m.id = a.message_id
    where f.workspace_id = ${workspaceId} and f.visitor_id = ${visitorId} and a.id = any(${[...ids]}::text[])`
  // By itself: only a later statement sees the message that a lock was waited for.
  await sql`select a.id ${own} order by a.id for update of a`.execute(db)
  const { rows } = await sql<{ id: string }>`
    select a.id ${own}
      and (a.message_id is null and a.created_at >= ${since} or m.external_id = ${externalId})`.execute(db)
  return rows.map(({ id }) => id)
}

/** Of all workspaces, from before a time. Returns how many. */
export const deleteOldVisitorFiles = async (db: Db, before: Date, rowsMax: number): Promise<number> => {
  const { numAffectedRows } = await sql`
    delete from visitor_files where (workspace_id, visitor_id, client_id) in (
      select workspace_id, visitor_id, client_id from visitor_files
      where created_at < ${before} order by created_at limit ${rowsMax})`.execute(db)
  return Number(numAffectedRows ?? 0)
}
