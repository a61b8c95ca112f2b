// The roles that say what members without admin rights may do.
import type { App } from '../../http/api.ts'
import { errors } from '../../http/error-responses.ts'
import { deleteRole } from './delete-role.ts'
import { listRoles } from './queries.ts'
import { createRole, updateRole } from './save-role.ts'
import { NewRole, RoleAnswer, RoleChange, RoleList, RoleParams, RoleRemoved } from './schema.ts'

export const registerRolesConsoleRoutes = (app: App): void => {
  app.get(
    '/roles',
    {
      config: { permission: 'admin' },
      schema: {
        operationId: 'consoleListRoles',
        summary: 'List the roles',
        response: { 200: RoleList },
      },
    },
    async ({ ctx }) => ({ roles: await listRoles(ctx) }),
  )

  app.post(
    '/roles',
    {
      config: { permission: 'admin' },
      schema: {
        operationId: 'consoleCreateRole',
        summary: 'Make a role',
        body: NewRole,
        response: { 200: RoleAnswer },
      },
    },
    ({ ctx, body }) => createRole(ctx, body),
  )

  app.patch(
    '/roles/:roleId',
    {
      config: { permission: 'admin' },
      schema: {
        operationId: 'consoleUpdateRole',
        summary: 'Change a role',
        description: 'What it allows counts for its members from their next request on.',
        params: RoleParams,
        body: RoleChange,
        response: { 200: RoleAnswer, ...errors('NOT_FOUND') },
      },
    },
    ({ ctx, params, body }) => updateRole(ctx, params.roleId, body),
  )

  app.delete(
    '/roles/:roleId',
    {
      config: { permission: 'admin' },
      schema: {
        operationId: 'consoleDeleteRole',
        summary: 'Remove a role',
        description: 'Its members have the default role instead, which cannot be removed.',
        params: RoleParams,
        response: { 200: RoleRemoved, ...errors('NOT_FOUND', 'ROLE_IS_DEFAULT') },
      },
    },
    ({ ctx, params }) => deleteRole(ctx, params.roleId),
  )
}
