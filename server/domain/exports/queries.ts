import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { Db } from '../../platform/db/pool.ts'
import type { ArchiveResource, StoredExportFile } from '../../platform/db/tables.ts'
import type { Export } from './schema.ts'

type Scope = Pick<Ctx, 'db' | 'workspaceId'>

export type StoredExport = Export & { files: StoredExportFile[] }

const columns = sql`id, status, resources, created_after as "createdAfter", include_files as "includeFiles", files,
  problem, created_at as "createdAt", completed_at as "completedAt"`

/** Undefined if one is running. */
export const insertExport = async (
  { db, workspaceId }: Scope,
  one: {
    id: string
    resources: readonly ArchiveResource[]
    createdAfter: string | null
    includeFiles: boolean
    createdBy: string
    createdAt: Date
  },
): Promise<StoredExport | undefined> => {
  const { rows } = await sql<StoredExport>`
    insert into exports (workspace_id, id, resources, created_after, include_files, created_by, created_at)
    values (${workspaceId}, ${one.id}, ${[...one.resources]}::text[], ${one.createdAfter}, ${one.includeFiles},
      ${one.createdBy}, ${one.createdAt})
    on conflict (workspace_id) where status = 'running' do nothing
    returning ${columns}`.execute(db)
  return rows[0]
}

export const listExportRows = async ({ db, workspaceId }: Scope, limit: number): Promise<StoredExport[]> => {
  const { rows } = await sql<StoredExport>`
    select ${columns} from exports where workspace_id = ${workspaceId} order by id desc limit ${limit}`.execute(
    db,
  )
  return rows
}

export const findExport = async (
  { db, workspaceId }: Scope,
  id: string,
): Promise<StoredExport | undefined> => {
  const { rows } = await sql<StoredExport>`
    select ${columns} from exports where workspace_id = ${workspaceId} and id = ${id}`.execute(db)
  return rows[0]
}

/** The files that a signed link can name; export ids are unique across workspaces. */
export const findExportFile = async (
  db: Db,
  id: string,
  name: string,
): Promise<StoredExportFile | undefined> => {
  const { rows } = await sql<{ files: StoredExportFile[] }>`
    select files from exports where id = ${id} and status = 'completed'`.execute(db)
  return rows[0]?.files.find((file) => file.name === name)
}

/** Counts a try, and returns the export with its number; undefined if it isn't running. */
export const beginTry = async (
  { db, workspaceId }: Scope,
  id: string,
): Promise<(StoredExport & { tries: number }) | undefined> => {
  const { rows } = await sql<StoredExport & { tries: number }>`
    update exports set tries = tries + 1
    where workspace_id = ${workspaceId} and id = ${id} and status = 'running'
    returning ${columns}, tries`.execute(db)
  return rows[0]
}

/** False if it was not running. */
export const endExport = async (
  { db, workspaceId, now }: Pick<Ctx, 'db' | 'workspaceId' | 'now'>,
  id: string,
  { files = [], problem = null }: { files?: readonly StoredExportFile[]; problem?: string | null },
): Promise<boolean> => {
  const { numAffectedRows } = await sql`
    update exports set status = case when ${problem}::text is null then 'completed' else 'failed' end,
      files = ${JSON.stringify(files)}::jsonb, problem = ${problem}, completed_at = ${now()}
    where workspace_id = ${workspaceId} and id = ${id} and status = 'running'`.execute(db)
  return numAffectedRows === 1n
}

type Expired = { workspaceId: string; id: string; files: StoredExportFile[] }

export const listExpired = async (db: Db, before: Date, limit: number): Promise<Expired[]> => {
  const { rows } = await sql<Expired>`
    select workspace_id as "workspaceId", id, files from exports
    where status = 'completed' and completed_at < ${before} order by completed_at limit ${limit}`.execute(db)
  return rows
}

export const expireExport = async (db: Db, { workspaceId, id }: Expired): Promise<void> => {
  await sql`
    update exports set status = 'expired', files = '[]'
    where workspace_id = ${workspaceId} and id = ${id} and status = 'completed'`.execute(db)
}
