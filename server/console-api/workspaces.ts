import { findWorkspace } from '../domain/workspaces/queries.ts'
import { renameWorkspace } from '../domain/workspaces/rename-workspace.ts'
import { WorkspaceAnswer, WorkspaceChange } from '../domain/workspaces/schema.ts'
import type { App } from '../platform/http/api.ts'

export const registerWorkspacesConsoleRoutes = (app: App): void => {
  app.get(
    '/workspace',
    {
      config: { permission: 'admin' },
      schema: {
        operationId: 'consoleGetWorkspace',
        summary: 'Get the workspace',
        response: { 200: WorkspaceAnswer },
      },
    },
    async ({ ctx }) => {
      const workspace = await findWorkspace(ctx.db, ctx.workspaceId)
      if (!workspace) throw new Error('the workspace of a member is not there')
      return { workspace }
    },
  )

  app.patch(
    '/workspace',
    {
      config: { permission: 'admin' },
      schema: {
        operationId: 'consoleRenameWorkspace',
        summary: 'Rename the workspace',
        body: WorkspaceChange,
        response: { 200: WorkspaceAnswer },
      },
    },
    ({ ctx, body }) => renameWorkspace(ctx, body),
  )
}
