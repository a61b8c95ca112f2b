import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { isAtWork } from '../../platform/db/closed-workspaces.ts'
import type { Db } from '../../platform/db/pool.ts'
import type { ArchiveResource, StoredExportFile } from '../../platform/db/tables.ts'
import type { Export } from './schema.ts'

type Scope = Pick<Ctx, 'db' | 'workspaceId'>

/** `contactId`: of an export about one person. */
export type StoredExport = Export & { files: StoredExportFile[]; contactId: string | null }

const columns = sql`id, status, resources, created_after as "createdAfter", include_files as "includeFiles", files,
  contact_id as "contactId", problem, created_at as "createdAt", completed_at as "completedAt"`

/** Undefined if one is running, of the workspace or of the person. */
export const insertExport = async (
  { db, workspaceId }: Scope,
  one: {
    id: string
    contactId: string | null
    resources: readonly ArchiveResource[]
    createdAfter: string | null
    includeFiles: boolean
    createdBy: string
    createdAt: Date
  },
): Promise<StoredExport | undefined> => {
  const { rows } = await sql<StoredExport>`
    insert into exports (workspace_id, id, contact_id, resources, created_after, include_files, created_by, created_at)
    values (${workspaceId}, ${one.id}, ${one.contactId}, ${[...one.resources]}::text[], ${one.createdAfter}, ${one.includeFiles},
      ${one.createdBy}, ${one.createdAt})
    on conflict do nothing
    returning ${columns}`.execute(db)
  return rows[0]
}

export const listExportRows = async ({ db, workspaceId }: Scope, limit: number): Promise<StoredExport[]> => {
  const { rows } = await sql<StoredExport>`
    select ${columns} from exports where workspace_id = ${workspaceId} and contact_id is null order by id desc limit ${limit}`.execute(
    db,
  )
  return rows
}

/** An export of the workspace. */
export const findExport = async (
  { db, workspaceId }: Scope,
  id: string,
): Promise<StoredExport | undefined> => {
  const { rows } = await sql<StoredExport>`
    select ${columns} from exports
    where workspace_id = ${workspaceId} and id = ${id} and contact_id is null`.execute(db)
  return rows[0]
}

/** Without an id: the one that is running. */
export const findPersonExport = async (
  { db, workspaceId }: Scope,
  { contactId, id = null }: { contactId: string; id?: string | null },
): Promise<StoredExport | undefined> => {
  const { rows } = await sql<StoredExport>`
    select ${columns} from exports where workspace_id = ${workspaceId} and contact_id = ${contactId}
      and (id = ${id} or ${id}::text is null and status = 'running')`.execute(db)
  return rows[0]
}

/** Whether the person is there and not being erased. Until the transaction ends no erasure and no other export of them begins. */
export const holdPerson = async ({ db, workspaceId }: Scope, contactId: string): Promise<boolean> => {
  const { rows } = await sql`
    select from contacts where workspace_id = ${workspaceId} and id = ${contactId} for no key update`.execute(
    db,
  )
  if (rows.length === 0) return false
  const { rows: erasures } = await sql`
    select from erasures
    where workspace_id = ${workspaceId} and contact_id = ${contactId} and status = 'running'`.execute(db)
  return erasures.length === 0
}

export const isCompleted = async ({ db, workspaceId }: Scope, id: string): Promise<boolean> => {
  const { rows } = await sql`
    select from exports where workspace_id = ${workspaceId} and id = ${id} and status = 'completed'`.execute(
    db,
  )
  return rows.length > 0
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

/** Returns its files; undefined if it is not there. */
export const removeExportRow = async (
  { db, workspaceId }: Scope,
  id: string,
): Promise<StoredExportFile[] | undefined> => {
  const { rows } = await sql<{ files: StoredExportFile[] }>`
    delete from exports where workspace_id = ${workspaceId} and id = ${id} and contact_id is null
    returning files`.execute(db)
  return rows[0]?.files
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

export const listExpired = async (
  db: Db,
  { workspaces, persons }: { workspaces: Date; persons: Date },
  limit: number,
): Promise<Expired[]> => {
  const { rows } = await sql<Expired>`
    select workspace_id as "workspaceId", id, files from exports
    where status = 'completed' and completed_at < case when contact_id is null then ${workspaces}::timestamptz
      else ${persons}::timestamptz end and ${isAtWork('workspace_id')} order by completed_at limit ${limit}`.execute(
    db,
  )
  return rows
}

export const expireExport = async (db: Db, { workspaceId, id }: Expired): Promise<void> => {
  await sql`
    update exports set status = 'expired', files = '[]'
    where workspace_id = ${workspaceId} and id = ${id} and status = 'completed'`.execute(db)
}
