import type { Client } from '../../platform/ctx/ctx.ts'
import { insertEntries } from '../audit/queries.ts'
import type { Changes } from '../audit/record-audit.ts'
import type { PlatformCtx } from './queries.ts'
import { listWorkspaceIds } from './session-queries.ts'

/** Of the request that signs in. */
export type SignInCall = { requestId?: string; client?: Client }

type Happening = {
  action: 'sign_in.succeeded' | 'sign_in.failed' | 'sign_in.ended'
  account: { id: string; name: string }
  changes: Changes
}

/** A person signs in to all of their workspaces, so each gets an entry. Who failed to sign in is unknown. */
export const recordSignIn = async (
  deps: PlatformCtx,
  { action, account, changes }: Happening,
  { requestId, client }: SignInCall,
): Promise<void> => {
  const workspaceIds = await listWorkspaceIds(deps, account.id)
  await insertEntries(
    deps,
    workspaceIds.map((workspaceId) => ({
      workspaceId,
      action,
      actor: action === 'sign_in.failed' ? 'unknown' : `agent:${account.id}`,
      target: { type: 'member', ...account },
      changes,
      requestId,
      client,
    })),
  )
}
