// What was imported, and what became of each row.
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { rowsOf } from '../../platform/db/rows-of.ts'

type Scope = Pick<Ctx, 'db' | 'workspaceId'>

export type Counts = Record<string, Record<string, number>>

export const KINDS = ['tag', 'group', 'contact', 'conversation', 'message', 'note', 'attachment'] as const
export type ImportedKind = (typeof KINDS)[number]

const LOCK_WAIT = '60s'

/** Imports of one source into a workspace take turns, a batch each. */
export const lockSource = async ({ db, workspaceId }: Scope, source: string): Promise<void> => {
  await sql`select set_config('lock_timeout', ${LOCK_WAIT}, true),
    pg_advisory_xact_lock(hashtextextended(${`import\n${workspaceId}\n${source}`}, 0))`.execute(db)
}

export const insertImport = async (
  { db, workspaceId }: Scope,
  one: { id: string; source: string; createdBy: string; createdAt: Date },
): Promise<void> => {
  await sql`
    insert into imports (workspace_id, id, source, created_by, created_at)
    values (${workspaceId}, ${one.id}, ${one.source}, ${one.createdBy}, ${one.createdAt})`.execute(db)
}

export const endImport = async (
  { db, workspaceId, now }: Pick<Ctx, 'db' | 'workspaceId' | 'now'>,
  id: string,
  { state, counts }: { state: 'completed' | 'undone'; counts: Counts },
): Promise<void> => {
  await sql`
    update imports set state = ${state}, counts = ${JSON.stringify(counts)}::jsonb, ended_at = ${now()}
    where workspace_id = ${workspaceId} and id = ${id}`.execute(db)
}

export type StoredImport = {
  id: string
  source: string
  state: 'running' | 'completed' | 'undone'
  counts: Counts
  createdAt: string
  endedAt: string | null
}

/** The newest first. */
export const listImports = async ({ db, workspaceId }: Scope, limit: number): Promise<StoredImport[]> => {
  const { rows } = await sql<StoredImport>`
    select id, source, state, counts, created_at as "createdAt", ended_at as "endedAt"
    from imports where workspace_id = ${workspaceId} order by id desc limit ${limit}`.execute(db)
  return rows
}

export const findImport = async (
  { db, workspaceId }: Scope,
  id: string,
): Promise<StoredImport | undefined> => {
  const { rows } = await sql<StoredImport>`
    select id, source, state, counts, created_at as "createdAt", ended_at as "endedAt"
    from imports where workspace_id = ${workspaceId} and id = ${id}`.execute(db)
  return rows[0]
}

const KEY_LENGTH = 27

/** Of an id of the source, or of a row. */
export const hashOf = (text: string): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, KEY_LENGTH)

export type Known = { targetId: string; hash: string; isCreated: boolean }

/** What became of rows of a source, by their ids. */
export const findImported = async (
  { db, workspaceId }: Scope,
  source: string,
  kind: ImportedKind,
  sourceIds: readonly (string | null)[],
): Promise<Map<string, Known>> => {
  const ids = [...new Set(sourceIds.filter((id) => id !== null))]
  if (ids.length === 0) return new Map()
  const { rows } = await sql<Known & { key: string }>`
    select source_key as key, target_id as "targetId", hash, is_created as "isCreated" from imported
    where workspace_id = ${workspaceId} and source = ${source} and kind = ${kind}
      and source_key = any (${ids.map(hashOf)}::text[])`.execute(db)
  const byKey = new Map(rows.map(({ key, ...known }) => [key, known]))
  return new Map(
    ids.flatMap((id) => {
      const known = byKey.get(hashOf(id))
      return known ? [[id, known]] : []
    }),
  )
}

export type NewImported = { sourceId: string; targetId: string; hash: string; isCreated: boolean }

/** A row that was changed keeps the import that made it. */
export const saveImported = async (
  { db, workspaceId }: Scope,
  { source, kind, importId }: { source: string; kind: ImportedKind; importId: string },
  rows: readonly NewImported[],
): Promise<void> => {
  if (rows.length === 0) return
  const keyed = rows.map(({ sourceId, ...row }) => ({ ...row, key: hashOf(sourceId) }))
  await sql`
    insert into imported (workspace_id, source, kind, source_key, target_id, hash, import_id, is_created)
    select ${workspaceId}, ${source}, ${kind}, r.key, r."targetId", r.hash, ${importId}, r."isCreated"
    from ${rowsOf(keyed)} as r (key text, "targetId" text, hash text, "isCreated" boolean)
    order by r.key collate "C"
    on conflict (workspace_id, source, kind, source_key) do update set hash = excluded.hash`.execute(db)
}

type Retargeted = { key: string } & ({ targetId: string } | { ofMessage: string })

/** They became rows that were here already: the conversation with this id, or that of a message. */
export const retargetImported = async (
  { db, workspaceId }: Scope,
  source: string,
  kind: ImportedKind,
  rows: readonly Retargeted[],
): Promise<void> => {
  if (rows.length === 0) return
  const given = rows.map((row) => ({ targetId: null, ofMessage: null, ...row }))
  await sql`
    update imported i set is_created = false, target_id = coalesce(r."targetId", m.conversation_id)
    from ${rowsOf(given)} as r (key text, "targetId" text, "ofMessage" text)
    left join messages m on m.workspace_id = ${workspaceId} and m.id = r."ofMessage"
    where i.workspace_id = ${workspaceId} and i.source = ${source} and i.kind = ${kind} and i.source_key = r.key
      and coalesce(r."targetId", m.conversation_id) is not null`.execute(db)
}

/** The ids of our own that an archive of this very workspace names. */
export const findOwnIds = async (
  { db, workspaceId }: Scope,
  table: 'tags' | 'contact_groups' | 'contacts' | 'conversations' | 'messages' | 'notes' | 'attachments',
  ids: readonly string[],
): Promise<Set<string>> => {
  const { rows } = await sql<{ id: string }>`
    select id from ${sql.table(table)} where workspace_id = ${workspaceId} and id = any (${[...ids]}::text[])`.execute(
    db,
  )
  return new Set(rows.map(({ id }) => id))
}
