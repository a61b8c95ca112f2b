import type { Client } from '../../platform/ctx/ctx.ts'
import { insertEntries } from '../audit/queries.ts'
import type { Changes } from '../audit/record-audit.ts'
import type { AuditAction } from '../audit/schema.ts'
import type { PlatformCtx } from './queries.ts'
import { listWorkspaceIds } from './session-queries.ts'

/** Where a request about an account came from. */
export type AccountCall = { requestId?: string; client?: Client }

type Happening = {
  action: Extract<AuditAction, `${'sign_in' | 'passkey' | 'recovery_codes'}.${string}`>
  account: { id: string; name: string }
  changes?: Changes
  /** The account's owner, if not given. */
  actor?: 'operator' | 'unknown'
}

/** An account belongs to several workspaces, so what concerns it leaves an entry in each. */
export const auditAccount = async (
  deps: PlatformCtx,
  { action, account, changes = {}, actor }: Happening,
  { requestId, client }: AccountCall,
): Promise<void> => {
  const workspaceIds = await listWorkspaceIds(deps, account.id)
  await insertEntries(
    deps,
    workspaceIds.map((workspaceId) => ({
      workspaceId,
      action,
      actor: actor ?? `agent:${account.id}`,
      target: { type: 'member', ...account },
      changes,
      requestId,
      client,
    })),
  )
}
