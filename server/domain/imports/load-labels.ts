// Tags and contact groups: one of the same name is the same.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { rowsOf } from '../../platform/db/rows-of.ts'
import { foldText } from '../search/search-text.ts'
import { type GroupRow, readGroup, readTag, type TagRow } from './import-rows.ts'
import type { Loader, Placed, Run } from './loader.ts'

type Named = { id: string; name: string; at: Date }

/** Those that are there by name, and new ids for the others; the first of a name stands for all of it. */
const placeByName = (
  run: Run,
  rows: readonly Named[],
  known: ReadonlyMap<string, string>,
): Map<string, { targetId: string; isCreated: boolean }> => {
  const placed = new Map([...known].map(([key, targetId]) => [key, { targetId, isCreated: false }]))
  for (const { id, name, at } of rows)
    if (!placed.has(foldText(name)))
      placed.set(foldText(name), { targetId: run.idAt(at, id), isCreated: true })
  return placed
}

const placedOf = <Row extends Named>(
  rows: readonly Row[],
  placed: ReturnType<typeof placeByName>,
): { all: Placed[]; created: (Row & { targetId: string })[] } => {
  const seen = new Set<string>()
  const created: (Row & { targetId: string })[] = []
  const all = rows.map((row): Placed => {
    const one = placed.get(foldText(row.name))!
    if (!one.isCreated || seen.has(one.targetId)) return { ...one, isCreated: false }
    seen.add(one.targetId)
    created.push({ ...row, targetId: one.targetId })
    return one
  })
  return { all, created }
}

const findByName = async (
  { db, workspaceId }: Ctx,
  table: 'tags' | 'contact_groups',
): Promise<Map<string, string>> => {
  const { rows } = await sql<{ id: string; name: string }>`
    select id, name from ${sql.table(table)} where workspace_id = ${workspaceId} order by id desc`.execute(db)
  return new Map(rows.map(({ id, name }) => [foldText(name), id]))
}

export const TAGS: Loader<TagRow> = {
  resource: 'tags',
  kind: 'tag',
  table: 'tags',
  read: readTag,
  insert: async (ctx, run, rows) => {
    const { all, created } = placedOf(rows, placeByName(run, rows, await findByName(ctx, 'tags')))
    const stored = created.map((row) => ({ ...row, nameKey: foldText(row.name) }))
    await sql`
      insert into tags (workspace_id, id, name, name_key, color, created_at)
      select ${ctx.workspaceId}, "targetId", name, "nameKey", color, at
      from ${rowsOf(stored)} as t ("targetId" text, name text, "nameKey" text, color text, at timestamptz)
      on conflict do nothing`.execute(ctx.db)
    return all
  },
  update: async ({ db, workspaceId }, _, rows) => {
    await sql`
      update tags t set color = r.color from ${rowsOf(rows)} as r ("targetId" text, color text)
      where t.workspace_id = ${workspaceId} and t.id = r."targetId"`.execute(db)
  },
}

export const GROUPS: Loader<GroupRow> = {
  resource: 'contactGroups',
  kind: 'group',
  table: 'contact_groups',
  read: readGroup,
  insert: async (ctx, run, rows) => {
    const { all, created } = placedOf(rows, placeByName(run, rows, await findByName(ctx, 'contact_groups')))
    await sql`
      insert into contact_groups (workspace_id, id, name, description, created_at, updated_at)
      select ${ctx.workspaceId}, "targetId", name, description, at, at
      from ${rowsOf(created)} as g ("targetId" text, name text, description text, at timestamptz)`.execute(
      ctx.db,
    )
    return all
  },
  update: async ({ db, workspaceId }, _, rows) => {
    await sql`
      update contact_groups g set description = r.description
      from ${rowsOf(rows)} as r ("targetId" text, description text)
      where g.workspace_id = ${workspaceId} and g.id = r."targetId"`.execute(db)
  },
}
