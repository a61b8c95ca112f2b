// SQL of the AI agent's settings.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { DEFAULT_SETTINGS } from './default-settings.ts'
import type { AiSettings } from './schema.ts'

/** The settings `s` as JSON, for larger statements; null if there is no row. */
export const SETTINGS_JSON = sql<AiSettings | null>`case when s.workspace_id is not null then json_build_object(
  'isStopped', s.is_stopped, 'name', s.name, 'hours', s.hours, 'expectation', s.expectation,
  'budget', json_build_object('day', s.day_budget, 'month', s.month_budget),
  'audience', json_build_object('channels', s.channels, 'countries', s.countries, 'tagIds', s.tag_ids,
    'languages', s.languages)) end`

export const findSettings = async ({
  db,
  workspaceId,
}: Pick<Ctx, 'db' | 'workspaceId'>): Promise<AiSettings> => {
  const { rows } = await sql<{ settings: AiSettings }>`
    select ${SETTINGS_JSON} as settings from ai_settings s where s.workspace_id = ${workspaceId}`.execute(db)
  return rows[0]?.settings ?? DEFAULT_SETTINGS
}

export const saveSettingsRow = async (
  { db, workspaceId, now }: Pick<Ctx, 'db' | 'workspaceId' | 'now'>,
  { isStopped, name, audience, hours, expectation, budget }: AiSettings,
  by: string,
): Promise<void> => {
  const row = {
    is_stopped: isStopped,
    name,
    channels: audience.channels,
    countries: audience.countries,
    tag_ids: audience.tagIds,
    languages: audience.languages,
    hours,
    expectation,
    day_budget: budget.day,
    month_budget: budget.month,
    updated_by: by,
    updated_at: now(),
  }
  await db
    .insertInto('ai_settings')
    .values({ workspace_id: workspaceId, ...row })
    .onConflict((conflict) => conflict.column('workspace_id').doUpdateSet(row))
    .execute()
}
