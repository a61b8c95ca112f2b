// The demo workspace of an empty database, made through the same operations as everything else. Each step looks first
// whether it was done, so that a start which was interrupted is made good by the next one.
import pg from 'pg'
import type { Ctx } from '../ctx.ts'
import {
  addChannelAccount,
  type ChannelAccountDeps,
} from '../resources/channel-accounts/add-channel-account.ts'
import { listChannelAccounts } from '../resources/channel-accounts/queries.ts'
import { createSignInLink } from '../resources/sessions/create-sign-in-link.ts'
import { createToken } from '../resources/tokens/create-token.ts'
import { createWorkspace } from '../resources/workspaces/create-workspace.ts'
import { type DemoSandbox, startDemoSandbox } from './sandbox.ts'
import { tellStories } from './stories.ts'

export type Demo = {
  workspaceId: string
  channelId: string
  /** The API token's secret, only from the start that made it. */
  secret: string | null
  /** Signs the demo's admin in to the console, once; null when there is none any more. */
  signInUrl: string | null
  sandbox: DemoSandbox
}

type DemoDeps = Omit<Ctx, 'workspaceId' | 'actor' | 'afterCommit'> &
  ChannelAccountDeps & {
    connectionString: string
    /** Where the sandbox reaches this process. */
    ownUrl: string
  }

const WORKSPACE_NAME = 'Demo'
const CHANNEL_NAME = 'Demo shop'
const ADMIN = { name: 'Robin', email: 'robin@demo.invalid' }
const LOCK = 7_030_003

/**
 * Makes the demo workspace when there is no workspace at all, and finds it again later. Null when the database belongs
 * to somebody's real workspaces. Of several processes that start together one makes it.
 */
export const ensureDemo = async (deps: DemoDeps): Promise<Demo | null> => {
  const lock = new pg.Client({ connectionString: deps.connectionString, application_name: 'foyer demo' })
  lock.on('error', () => {})
  await lock.connect()
  try {
    await lock.query('select pg_advisory_lock($1)', [LOCK])
    return await makeOrFind(deps)
  } finally {
    await lock.end()
  }
}

const makeOrFind = async (deps: DemoDeps): Promise<Demo | null> => {
  const first = await deps.db
    .selectFrom('workspaces as w')
    .select((eb) => [
      'w.id',
      // By whom it was made, for it may have another name by now.
      eb
        .exists(
          eb
            .selectFrom('memberships as m')
            .innerJoin('accounts as a', 'a.id', 'm.account_id')
            .select('m.account_id')
            .whereRef('m.workspace_id', '=', 'w.id')
            .where('m.removed_at', 'is', null)
            .where('a.email', '=', ADMIN.email),
        )
        .as('isDemo'),
    ])
    .orderBy('w.created_at')
    .orderBy('w.id')
    .limit(1)
    .executeTakeFirst()
  if (first && !first.isDemo) return null
  const workspaceId =
    first?.id ?? (await createWorkspace(deps, { name: WORKSPACE_NAME, admin: ADMIN.email })).workspace.id
  const ctx: Ctx & ChannelAccountDeps = {
    ...deps,
    workspaceId,
    actor: { type: 'operator' },
    afterCommit: null,
  }
  const [known] = await listChannelAccounts(ctx, 'web')
  const channelId =
    known?.id ?? (await addChannelAccount(ctx, { channel: 'web', fields: { name: CHANNEL_NAME } })).id
  const sandbox = await startDemoSandbox(ctx, { ownUrl: deps.ownUrl, admin: ADMIN })
  try {
    const isNew = !(await hasAny(ctx, 'conversations'))
    const unanswered = isNew ? await tellStories(ctx, { ...sandbox, webChannelId: channelId }) : null
    await sandbox.restore()
    await unanswered?.answer()
    const secret = (await hasAny(ctx, 'api_tokens'))
      ? null
      : (await createToken(ctx, { name: 'Demo' })).secret
    return { workspaceId, channelId, secret, signInUrl: await makeSignInUrl(ctx), sandbox }
  } catch (error) {
    await sandbox.stop()
    throw error
  }
}

const makeSignInUrl = async (ctx: Ctx): Promise<string | null> => {
  const admin = await ctx.db
    .selectFrom('memberships as m')
    .innerJoin('accounts as a', 'a.id', 'm.account_id')
    .select('a.email')
    .where('m.workspace_id', '=', ctx.workspaceId)
    .where('m.role', '=', 'admin')
    .where('m.removed_at', 'is', null)
    .orderBy('m.created_at')
    .orderBy('a.id')
    .executeTakeFirst()
  return admin ? (await createSignInLink(ctx, admin)).url : null
}

const hasAny = async ({ db, workspaceId }: Ctx, table: 'conversations' | 'api_tokens'): Promise<boolean> =>
  (await db
    .selectFrom(table)
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .limit(1)
    .executeTakeFirst()) !== undefined
