// Roles: what members without admin rights may do.

import { listRoles } from '../domain/agents/role-queries.ts'
import {
  NewRole,
  RoleAnswer,
  RoleChange,
  RoleList,
  RoleParams,
  RoleRemoved,
} from '../domain/agents/role-schema.ts'
import { createRole, deleteRole, updateRole } from '../domain/agents/roles.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

export const registerRolesConsoleRoutes = (app: App): void => {
  app.get(
    '/roles',
    {
      config: { permission: 'admin' },
      schema: {
        operationId: 'consoleListRoles',
        summary: 'List roles',
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
        summary: 'Create a role',
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
        summary: 'Update a role',
        description: 'Takes effect for its members with their next request.',
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
        summary: 'Delete a role',
        description: 'Its members get the default role, which cannot be deleted.',
        params: RoleParams,
        response: { 200: RoleRemoved, ...errors('NOT_FOUND', 'ROLE_IS_DEFAULT') },
      },
    },
    ({ ctx, params }) => deleteRole(ctx, params.roleId),
  )
}
