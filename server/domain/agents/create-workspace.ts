import { findOrCreateAccount } from '../accounts/find-or-create-account.ts'
import type { PlatformCtx } from '../accounts/queries.ts'
import { makeFieldReader } from '../read-fields.ts'
import { insertWorkspace } from '../workspaces/queries.ts'
import { WORKSPACE_NAME_MAX } from '../workspaces/schema.ts'
import { insertMember } from './queries.ts'
import { insertDefaultRole } from './role-queries.ts'

type CreatedWorkspace = {
  workspace: { id: string; name: string }
  admin: { id: string; email: string; nickname: string }
}

/**
 * Creates a workspace with its role for agents and its first admin, whose account is created if the email has none.
 * Throws VALIDATION_ERROR, and AGENT_MANAGED for the AI agent's email.
 */
export const createWorkspace = async (
  deps: PlatformCtx,
  input: { name: string; admin: string },
): Promise<CreatedWorkspace> => {
  const reader = makeFieldReader(input)
  const name = reader.text('name', WORKSPACE_NAME_MAX)
  const email = reader.email('admin')
  reader.finish()
  const workspaceId = deps.newId()
  return deps.db.transaction().execute(async (db) => {
    const ctx = { ...deps, db, workspaceId }
    await insertWorkspace(ctx, { id: workspaceId, name })
    await insertDefaultRole(ctx)
    const { id, nickname } = await findOrCreateAccount(ctx, { email, createdIn: workspaceId })
    await insertMember(ctx, { accountId: id, role: 'admin', roleId: null })
    return { workspace: { id: workspaceId, name }, admin: { id, email, nickname } }
  })
}
