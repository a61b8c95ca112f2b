import type { Ctx } from '../../platform/ctx/ctx.ts'
import { makeFieldReader } from '../read-fields.ts'
import { updateWorkspaceName } from './queries.ts'
import { WORKSPACE_NAME_MAX, type Workspace } from './schema.ts'

/** Renames the workspace; customers see this name too. Throws VALIDATION_ERROR. */
export const renameWorkspace = async (
  ctx: Ctx,
  input: { name: string },
): Promise<{ workspace: Workspace }> => {
  const reader = makeFieldReader(input)
  const name = reader.text('name', WORKSPACE_NAME_MAX)
  reader.finish()
  return { workspace: await updateWorkspaceName(ctx, name) }
}
