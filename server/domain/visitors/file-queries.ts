// The SQL of files that visitors upload, and of how many more they may.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { Db } from '../../platform/db/pool.ts'
import type { FileType } from '../attachments/queries.ts'

type Scope = Pick<Ctx, 'db' | 'workspaceId'>

export type VisitorFile = { id: string; type: FileType; name: string; mimeType: string; size: number }

/** One uploaded before under the page's id; `isCounted`: begun at least. */
export const findVisitorFile = async (
  { db, workspaceId }: Scope,
  { visitorId, clientId }: { visitorId: string; clientId: string },
): Promise<{ isCounted: boolean; file: VisitorFile | null }> => {
  const { rows } = await sql<{ file: VisitorFile | null }>`
    select case when a.id is not null then json_build_object('id', a.id, 'type', a.type, 'name', a.name,
      'mimeType', a.mime_type, 'size', a.size) end as file
    from visitor_files f
    left join attachments a on a.workspace_id = f.workspace_id and a.id = f.attachment_id and a.state = 'stored'
    where f.workspace_id = ${workspaceId} and f.visitor_id = ${visitorId} and f.client_id = ${clientId}`.execute(
    db,
  )
  return { isCounted: rows.length > 0, file: rows[0]?.file ?? null }
}

export type Used = {
  visitorFiles: number
  visitorBytes: number
  addressFiles: number
  addressBytes: number
  hourBytes: number
  dayBytes: number
}

/** Counted one after another in a workspace, until the transaction ends. */
export const countVisitorFiles = async (
  { db, workspaceId }: Scope,
  {
    visitorId,
    address,
    hourAgo,
    dayAgo,
  }: { visitorId: string; address: string; hourAgo: Date; dayAgo: Date },
): Promise<Used> => {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`visitor files ${workspaceId}`}, 0))`.execute(db)
  const inHour = sql`created_at > ${hourAgo}`
  const { rows } = await sql<Used>`
    select
      count(*) filter (where ${inHour} and visitor_id = ${visitorId})::integer as "visitorFiles",
      coalesce(sum(size) filter (where ${inHour} and visitor_id = ${visitorId}), 0)::float8 as "visitorBytes",
      count(*) filter (where ${inHour} and address = ${address})::integer as "addressFiles",
      coalesce(sum(size) filter (where ${inHour} and address = ${address}), 0)::float8 as "addressBytes",
      coalesce(sum(size) filter (where ${inHour}), 0)::float8 as "hourBytes",
      coalesce(sum(size), 0)::float8 as "dayBytes"
    from visitor_files where workspace_id = ${workspaceId} and created_at > ${dayAgo}`.execute(db)
  return rows[0]!
}

export const insertVisitorFile = async (
  { db, workspaceId, now }: Scope & Pick<Ctx, 'now'>,
  file: { visitorId: string; clientId: string; size: number; address: string },
): Promise<void> => {
  const { visitorId, clientId, size, address } = file
  await sql`
    insert into visitor_files (workspace_id, visitor_id, client_id, size, address, created_at)
    values (${workspaceId}, ${visitorId}, ${clientId}, ${size}, ${address}, ${now()})
    on conflict do nothing`.execute(db)
}

export const setVisitorFile = async (
  { db, workspaceId }: Scope,
  { visitorId, clientId, attachmentId }: { visitorId: string; clientId: string; attachmentId: string },
): Promise<void> => {
  await sql`
    update visitor_files set attachment_id = ${attachmentId}
    where workspace_id = ${workspaceId} and visitor_id = ${visitorId} and client_id = ${clientId}`.execute(db)
}

/** Which of the files the visitor uploaded, and has in no message, or in the one of this external id. */
export const listSendableFiles = async (
  { db, workspaceId }: Scope,
  { visitorId, ids, externalId }: { visitorId: string; ids: readonly string[]; externalId: string | null },
): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    select a.id from visitor_files f
    join attachments a on a.workspace_id = f.workspace_id and a.id = f.attachment_id and a.state = 'stored'
    left join messages m on m.workspace_id = a.workspace_id and m.id = a.message_id
    where f.workspace_id = ${workspaceId} and f.visitor_id = ${visitorId} and a.id = any(${[...ids]}::text[])
      and (a.message_id is null or m.external_id = ${externalId})`.execute(db)
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
