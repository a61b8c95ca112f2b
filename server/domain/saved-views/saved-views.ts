// Saving, ordering and deleting views of the inbox, with their SQL. Shared ones are for those who see everything.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { ID_PATTERN } from '../../platform/db/id.ts'
import { ApiError, invalid } from '../../platform/errors.ts'
import type { NewSavedView, SavedView } from './schema.ts'

/** Of one owner: all of them are shown at once. */
const VIEWS_MAX = 50

type Done = { success: true }
export type OwnedView = { id: string; ownerId: string | null }

const noSuchView = () => new ApiError('NOT_FOUND', { message: 'Saved view not found.' })

/** The team's and one's own, in their order. */
export const listSavedViews = async (
  { db, workspaceId }: Ctx,
  accountId: string | null,
): Promise<SavedView[]> => {
  const { rows } = await sql<SavedView>`
    select id, owner_id is null as "isShared", name, filter from saved_views
    where workspace_id = ${workspaceId} and (owner_id is null or owner_id = ${accountId})
    order by owner_id is not null, position, id limit ${2 * VIEWS_MAX}`.execute(db)
  return rows
}

/** Creates or replaces a view. Throws NOT_FOUND if its id is another owner's, VALIDATION_ERROR beyond 50 of one owner. */
export const saveView = async (
  { db, workspaceId, now }: Ctx,
  { id, ownerId }: OwnedView,
  { name, filter }: NewSavedView,
): Promise<Done> => {
  if (!ID_PATTERN.test(id)) throw noSuchView()
  const { rows } = await sql<{ others: number; isSaved: boolean }>`
    with others as (
      select count(*)::integer as count, max(position) as last from saved_views
      where workspace_id = ${workspaceId} and owner_id is not distinct from ${ownerId} and id <> ${id}
    ), saved as (
      insert into saved_views (workspace_id, id, owner_id, name, filter, position, created_at)
      select ${workspaceId}, ${id}, ${ownerId}, ${name}, ${JSON.stringify(filter)}::jsonb, coalesce(last, 0) + 1, ${now()}
      from others where count < ${VIEWS_MAX}
      on conflict (workspace_id, id) do update set name = excluded.name, filter = excluded.filter
        where saved_views.owner_id is not distinct from ${ownerId}
      returning id
    )
    select count as others, exists (select from saved) as "isSaved" from others`.execute(db)
  const { others, isSaved } = rows[0]!
  if (!isSaved && others >= VIEWS_MAX)
    throw invalid({ field: 'name', message: `would be the ${VIEWS_MAX + 1}st saved view. Delete some first` })
  if (!isSaved) throw noSuchView()
  return { success: true }
}

export const deleteView = async ({ db, workspaceId }: Ctx, { id, ownerId }: OwnedView): Promise<Done> => {
  await sql`delete from saved_views
    where workspace_id = ${workspaceId} and id = ${id} and owner_id is not distinct from ${ownerId}`.execute(
    db,
  )
  return { success: true }
}

/** Puts the owner's views in the order of the ids; the others come after them, as they were. */
export const orderViews = async (
  { db, workspaceId }: Ctx,
  ownerId: string | null,
  ids: readonly string[],
): Promise<Done> => {
  await sql`
    update saved_views v set position = n.position
    from (
      select id, row_number() over (order by array_position(${ids}::text[], id::text), position, id) as position
      from saved_views where workspace_id = ${workspaceId} and owner_id is not distinct from ${ownerId}
    ) n
    where v.workspace_id = ${workspaceId} and v.id = n.id`.execute(db)
  return { success: true }
}
