// SQL of the AI agent's settings.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { DEFAULT_SETTINGS } from './default-settings.ts'
import type { AiSettings } from './schema.ts'

/** The settings `s` as JSON, for larger statements; null if there is no row. */
export const SETTINGS_JSON = sql<AiSettings | null>`case when s.workspace_id is not null then json_build_object(
  'isStopped', s.is_stopped, 'name', s.name, 'expectation', s.expectation,
  'handOverTexts', s.hand_over_texts, 'asksAddress', s.asks_address, 'speaking', s.speaking,
  'budget', json_build_object('day', s.day_budget, 'month', s.month_budget),
  'privacy', json_build_object('hidesContacts', s.hides_contacts, 'requestsKeptDays', s.requests_kept_days,
    'sendsPictures', s.sends_pictures),
  'handOver', json_build_object(
    'agentId', (select m.account_id from memberships m where m.workspace_id = s.workspace_id
      and m.account_id = s.hand_over_agent_id and m.role <> 'ai' and m.removed_at is null),
    'teamId', (select t.id from teams t
      where t.workspace_id = s.workspace_id and t.id = s.hand_over_team_id and t.removed_at is null),
    'tagId', (select t.id from tags t where t.workspace_id = s.workspace_id and t.id = s.hand_over_tag_id))) end`

/** As SETTINGS_JSON was stored: a channel that is new since then has the defaults. */
export const toSettings = (stored: AiSettings | null | undefined): AiSettings =>
  stored ? { ...stored, speaking: { ...DEFAULT_SETTINGS.speaking, ...stored.speaking } } : DEFAULT_SETTINGS

export const findSettings = async ({
  db,
  workspaceId,
}: Pick<Ctx, 'db' | 'workspaceId'>): Promise<AiSettings> => {
  const { rows } = await sql<{ settings: AiSettings }>`
    select ${SETTINGS_JSON} as settings from ai_settings s where s.workspace_id = ${workspaceId}`.execute(db)
  return toSettings(rows[0]?.settings)
}

/** Whether the provider may not read email addresses and phone numbers, for larger statements. */
export const hidesContacts = (workspaceId: string) => sql<boolean>`
  coalesce((select s.hides_contacts from ai_settings s where s.workspace_id = ${workspaceId}), false)`

/** Whether the provider gets customers' pictures, for larger statements. */
export const sendsPictures = (workspaceId: string) => sql<boolean>`
  coalesce((select s.sends_pictures from ai_settings s where s.workspace_id = ${workspaceId}), false)`

const LOCK_SEED = 7_030_006

/**
 * From now on, no conductor decides with the settings of before: waits for those that do and holds up the others, until
 * the caller's transaction ends. So once it is committed, nothing is said that it forbids.
 */
export const holdReplies = async ({ db, workspaceId }: Ctx): Promise<void> => {
  await sql`select pg_advisory_xact_lock(hashtextextended(${workspaceId}, ${LOCK_SEED}))`.execute(db)
}

/** The other side of `holdReplies`, as part of a statement before the one that reads the settings. */
export const settingsHeld = ({ workspaceId }: Pick<Ctx, 'workspaceId'>) =>
  sql`pg_advisory_xact_lock_shared(hashtextextended(${workspaceId}, ${LOCK_SEED}))`

export const saveSettingsRow = async (
  { db, workspaceId, now }: Pick<Ctx, 'db' | 'workspaceId' | 'now'>,
  settings: AiSettings,
  by: string,
): Promise<void> => {
  const { isStopped, name, speaking, handOver, expectation, handOverTexts, asksAddress, budget, privacy } =
    settings
  const row = {
    is_stopped: isStopped,
    name,
    speaking: JSON.stringify(speaking),
    hand_over_agent_id: handOver.agentId,
    hand_over_team_id: handOver.teamId,
    hand_over_tag_id: handOver.tagId,
    expectation,
    hand_over_texts: JSON.stringify(handOverTexts),
    asks_address: asksAddress,
    day_budget: budget.day,
    month_budget: budget.month,
    hides_contacts: privacy.hidesContacts,
    requests_kept_days: privacy.requestsKeptDays,
    sends_pictures: privacy.sendsPictures,
    updated_by: by,
    updated_at: now(),
  }
  await db
    .insertInto('ai_settings')
    .values({ workspace_id: workspaceId, ...row })
    .onConflict((conflict) => conflict.column('workspace_id').doUpdateSet(row))
    .execute()
}
