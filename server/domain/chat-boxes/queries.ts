// All SQL of chat boxes. One that was never changed has no row.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { type ChatBoxSettings, DEFAULT_SETTINGS } from './schema.ts'

type Scope = Pick<Ctx, 'db' | 'workspaceId'>

export type StoredChatBox = {
  settings: ChatBoxSettings
  identitySecret: Buffer | null
  formerSecret: Buffer | null
  formerUntil: string | null
}

export const findChatBox = async (
  { db, workspaceId }: Scope,
  channelAccountId: string,
): Promise<StoredChatBox> => {
  const row = await db
    .selectFrom('chat_boxes')
    .select([
      'settings',
      'identity_secret as identitySecret',
      'former_secret as formerSecret',
      'former_until as formerUntil',
    ])
    .where('workspace_id', '=', workspaceId)
    .where('channel_account_id', '=', channelAccountId)
    .executeTakeFirst()
  const { settings, ...secrets } = row ?? {
    settings: {},
    identitySecret: null,
    formerSecret: null,
    formerUntil: null,
  }
  // Only update-chat-box.ts writes them, in this shape; a setting that is newer than the row has its default.
  return { ...secrets, settings: { ...DEFAULT_SETTINGS, ...(settings as Partial<ChatBoxSettings>) } }
}

export const saveSettings = async (
  { db, workspaceId }: Ctx,
  channelAccountId: string,
  settings: ChatBoxSettings,
): Promise<void> => {
  await sql`
    insert into chat_boxes (workspace_id, channel_account_id, settings)
    values (${workspaceId}, ${channelAccountId}, ${JSON.stringify(settings)}::jsonb)
    on conflict (workspace_id, channel_account_id) do update set settings = excluded.settings`.execute(db)
}

export const saveSecrets = async (
  { db, workspaceId }: Ctx,
  channelAccountId: string,
  { identitySecret, formerSecret, formerUntil }: Omit<StoredChatBox, 'settings'>,
): Promise<void> => {
  await sql`
    insert into chat_boxes (workspace_id, channel_account_id, identity_secret, former_secret, former_until)
    values (${workspaceId}, ${channelAccountId}, ${identitySecret}, ${formerSecret}, ${formerUntil})
    on conflict (workspace_id, channel_account_id) do update set identity_secret = excluded.identity_secret,
      former_secret = excluded.former_secret, former_until = excluded.former_until`.execute(db)
}
