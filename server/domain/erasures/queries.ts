// The SQL of erasures themselves; what they remove has its own files.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { Db } from '../../platform/db/pool.ts'
import type { ErasureCounts, ErasureMode } from '../../platform/db/tables.ts'
import type { Erasure } from './schema.ts'

type Scope = Pick<Ctx, 'db' | 'workspaceId'>

const columns = sql`id, contact_id as "contactId", mode, status, counts, created_at as "createdAt",
  erased_at as "erasedAt"`

export const insertErasure = async (
  { db, workspaceId }: Scope,
  one: { id: string; contactId: string; mode: ErasureMode; clues: Buffer; actor: string; createdAt: Date },
): Promise<Erasure> => {
  const { rows } = await sql<Erasure>`
    insert into erasures (workspace_id, id, contact_id, mode, clues, actor, created_at)
    values (${workspaceId}, ${one.id}, ${one.contactId}, ${one.mode}, ${one.clues}, ${one.actor}, ${one.createdAt})
    returning ${columns}`.execute(db)
  return rows[0]!
}

export const findErasure = async ({ db, workspaceId }: Scope, id: string): Promise<Erasure | undefined> => {
  const { rows } = await sql<Erasure>`
    select ${columns} from erasures where workspace_id = ${workspaceId} and id = ${id}`.execute(db)
  return rows[0]
}

export const findRunningErasure = async (
  { db, workspaceId }: Scope,
  contactId: string,
): Promise<Erasure | undefined> => {
  const { rows } = await sql<Erasure>`
    select ${columns} from erasures
    where workspace_id = ${workspaceId} and contact_id = ${contactId} and status = 'running'`.execute(db)
  return rows[0]
}

export type Work = { id: string; contactId: string; mode: ErasureMode; clues: Buffer; actor: string }

/** Undefined if it is completed. */
export const findWork = async ({ db, workspaceId }: Scope, id: string): Promise<Work | undefined> => {
  const { rows } = await sql<Work>`
    select id, contact_id as "contactId", mode, clues, actor from erasures
    where workspace_id = ${workspaceId} and id = ${id} and status = 'running'`.execute(db)
  return rows[0]
}

/** Adds what a batch removed, in its transaction. */
export const addCounts = async (
  { db, workspaceId }: Scope,
  id: string,
  counts: ErasureCounts,
): Promise<void> => {
  await sql`
    update erasures e set counts = e.counts || (
      select coalesce(jsonb_object_agg(key, value::bigint + coalesce((e.counts ->> key)::bigint, 0)), '{}')
      from jsonb_each_text(${JSON.stringify(counts)}::jsonb))
    where workspace_id = ${workspaceId} and id = ${id}`.execute(db)
}

/** False if another process was first. */
export const completeErasure = async (
  { db, workspaceId, now }: Pick<Ctx, 'db' | 'workspaceId' | 'now'>,
  id: string,
): Promise<boolean> => {
  const { numAffectedRows } = await sql`
    update erasures set status = 'completed', clues = null, erased_at = ${now()}
    where workspace_id = ${workspaceId} and id = ${id} and status = 'running'`.execute(db)
  return numAffectedRows === 1n
}

export const insertErasedIdentities = async (
  { db, workspaceId, now }: Pick<Ctx, 'db' | 'workspaceId' | 'now'>,
  hashes: readonly string[],
): Promise<void> => {
  await sql`
    insert into erased_identities (workspace_id, hash, erased_at)
    select ${workspaceId}, h, ${now()} from unnest(${[...new Set(hashes)].sort()}::text[]) h
    on conflict (workspace_id, hash) do update set erased_at = excluded.erased_at`.execute(db)
}

/** When those that were erased were. */
export const listErasedIdentities = async (
  { db, workspaceId }: Scope,
  hashes: readonly string[],
): Promise<Map<string, Date>> => {
  const { rows } = await sql<{ hash: string; erasedAt: string }>`
    select hash, erased_at as "erasedAt" from erased_identities
    where workspace_id = ${workspaceId} and hash = any(${hashes}::text[])`.execute(db)
  return new Map(rows.map(({ hash, erasedAt }) => [hash, new Date(erasedAt)]))
}

export const hasErased = async ({ db, workspaceId }: Scope): Promise<boolean> => {
  const { rows } = await sql<{ has: boolean }>`
    select exists (select from erased_identities where workspace_id = ${workspaceId}) as has`.execute(db)
  return rows[0]!.has
}

export const deleteOldIdentities = async (db: Db, before: Date, limit: number): Promise<number> => {
  const { numAffectedRows } = await sql`
    delete from erased_identities where (workspace_id, hash) in (
      select workspace_id, hash from erased_identities where erased_at < ${before} order by erased_at limit ${limit})`.execute(
    db,
  )
  return Number(numAffectedRows ?? 0)
}
