// Creates the demo workspace in an empty database, through the same operations as everything else. Each step first
// checks whether it was done, so the next start completes one that was interrupted.

import { createSignInLink } from '../domain/accounts/create-sign-in-link.ts'
import { createWorkspace } from '../domain/agents/create-workspace.ts'
import { addChannelAccount, type ChannelAccountDeps } from '../domain/channel-accounts/add-channel-account.ts'
import { listChannelAccounts } from '../domain/channel-accounts/queries.ts'
import { createToken } from '../domain/tokens/tokens.ts'
import type { Ctx } from '../platform/ctx/ctx.ts'
import { makeConnection } from '../platform/db/connection.ts'
import { takeTurn } from '../platform/db/take-turn.ts'
import { prepareAutomation } from './demo-automation.ts'
import { ensureDemoFlows } from './demo-flows.ts'
import { createDemoHistory } from './demo-history.ts'
import { createDemoThreads } from './demo-threads.ts'
import { type DemoSandbox, startDemoSandbox } from './sandbox.ts'

export type Demo = {
  workspaceId: string
  channelId: string
  /** The API token's secret, only at the start that created it. */
  secret: string | null
  /** Signs the demo's admin in to the console, once; null if the demo has no admin any more. */
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
 * Creates the demo workspace if there is no workspace at all, and finds it on later starts. Null when the database
 * holds real workspaces. If several processes start together, only one creates it.
 */
export const ensureDemo = async (deps: DemoDeps): Promise<Demo | null> => {
  const lock = makeConnection({
    connectionString: deps.connectionString,
    applicationName: 'foyer demo',
  })
  await lock.connect()
  try {
    await takeTurn(lock, LOCK, 'makes the demo', { say: (line) => deps.log.info(line) })
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
      // Found by who created it, because it may have been renamed.
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
    await prepareAutomation(ctx, { sandboxUrl: sandbox.url, isNew })
    const unanswered = isNew ? await createDemoThreads(ctx, { ...sandbox, webChannelId: channelId }) : null
    await ensureDemoFlows(ctx)
    await sandbox.restore()
    if (isNew) await createDemoHistory(ctx, { ...sandbox.channelIds, web: channelId })
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
