// All SQL of business hours.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { BusinessHours } from './schema.ts'

/** The workspace's hours in one statement: the default ones first, then by name. */
export const listBusinessHours = ({
  db,
  workspaceId,
}: Pick<Ctx, 'db' | 'workspaceId'>): Promise<BusinessHours[]> =>
  db
    .selectFrom('business_hours')
    .select(['id', 'name', 'is_default as isDefault', 'time_zone as timeZone', 'weekly', 'exceptions'])
    .where('workspace_id', '=', workspaceId)
    .orderBy('is_default', 'desc')
    .orderBy('name_key')
    .execute()

type Row = BusinessHours & { nameKey: string }

const columnsOf = ({ name, nameKey, timeZone, weekly, exceptions, isDefault }: Row) => ({
  name,
  name_key: nameKey,
  time_zone: timeZone,
  weekly: JSON.stringify(weekly),
  exceptions: JSON.stringify(exceptions),
  is_default: isDefault,
})

/** For the holder of the workspace's lock, who has looked at the others. */
export const insertBusinessHours = async ({ db, workspaceId, now }: Ctx, row: Row): Promise<void> => {
  await db
    .insertInto('business_hours')
    .values({ workspace_id: workspaceId, id: row.id, ...columnsOf(row), created_at: now() })
    .execute()
}

export const updateBusinessHoursRow = async ({ db, workspaceId }: Ctx, row: Row): Promise<void> => {
  await db
    .updateTable('business_hours')
    .set(columnsOf(row))
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', row.id)
    .execute()
}

/** So that others can become the default. */
export const clearDefaultHours = async ({ db, workspaceId }: Ctx): Promise<void> => {
  await db
    .updateTable('business_hours')
    .set({ is_default: false })
    .where('workspace_id', '=', workspaceId)
    .where('is_default', '=', true)
    .execute()
}

/** What else uses the hours, in words: teams, and the targets of answers. */
export const listTeamsWith = async ({ db, workspaceId }: Ctx, id: string): Promise<string[]> => {
  const { rows } = await sql<{ words: string }>`
    select 'the team “' || name || '”' as words from teams where workspace_id = ${workspaceId} and hours_id = ${id}
    union all
    select 'the response time targets' from answer_targets where workspace_id = ${workspaceId} and hours_id = ${id}
    order by 1`.execute(db)
  return rows.map(({ words }) => words)
}

export const deleteBusinessHoursRow = async ({ db, workspaceId }: Ctx, id: string): Promise<void> => {
  await db.deleteFrom('business_hours').where('workspace_id', '=', workspaceId).where('id', '=', id).execute()
}
