// All SQL of how people are notified. Settings belong to a person, not to a workspace.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { NotificationSettings } from './schema.ts'

type Scope = Pick<Ctx, 'db' | 'now'>
type SettingsRow = { settings: NotificationSettings; pausedUntil: string | null }

export const findSettings = async (
  { db }: Pick<Ctx, 'db'>,
  accountId: string,
): Promise<SettingsRow | undefined> =>
  db
    .selectFrom('notification_settings')
    .select(['settings', 'paused_until as pausedUntil'])
    .where('account_id', '=', accountId)
    .executeTakeFirst()

export const upsertSettings = async (
  { db, now }: Scope,
  accountId: string,
  settings: NotificationSettings,
): Promise<void> => {
  await sql`
    insert into notification_settings (account_id, settings, updated_at)
    values (${accountId}, ${JSON.stringify(settings)}::jsonb, ${now()})
    on conflict (account_id) do update set settings = excluded.settings, updated_at = excluded.updated_at`.execute(
    db,
  )
}

/** `settings`: for someone who has none yet. */
export const upsertPause = async (
  { db, now }: Scope,
  accountId: string,
  { until, settings }: { until: string | null; settings: NotificationSettings },
): Promise<void> => {
  await sql`
    insert into notification_settings (account_id, settings, paused_until, updated_at)
    values (${accountId}, ${JSON.stringify(settings)}::jsonb, ${until}::timestamptz, ${now()})
    on conflict (account_id) do update set paused_until = excluded.paused_until, updated_at = excluded.updated_at`.execute(
    db,
  )
}
