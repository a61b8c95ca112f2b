// Creating and changing roles. A change applies from the members' next request, because every console request reads the
// role.

import { PERMISSIONS, type Permission } from '../../platform/ctx/actor.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError, invalid } from '../../platform/errors.ts'
import { record } from '../../platform/events/record.ts'
import { changesBetween, recordAudit } from '../audit/record-audit.ts'
import { foldText } from '../search/search-text.ts'
import { lockWorkspace } from '../workspaces/queries.ts'
import { listMembersOfRole, moveMembersToRole } from './queries.ts'
import {
  deleteRoleRow,
  getDefaultRoleId,
  insertRole,
  listRoleNames,
  listRoles,
  lockRole,
  updateRoleRow,
} from './role-queries.ts'
import { type NewRole, ROLES_MAX, type Role, type RoleChange } from './role-schema.ts'

/** Throws VALIDATION_ERROR for a name that another role has, ignoring case, and beyond 100 roles. */
export const createRole = (ctx: Ctx, { name, permissions }: NewRole): Promise<{ role: Role }> =>
  inTransaction(ctx, async (ctx) => {
    await lockWorkspace(ctx)
    const others = await listRoleNames(ctx)
    if (others.length >= ROLES_MAX)
      throw invalid({ field: 'name', message: `the workspace already has ${ROLES_MAX} roles` })
    refuseTaken(others, name)
    const id = ctx.newId()
    await insertRole(ctx, { id, name, permissions: ordered(permissions) })
    await recordAudit(ctx, {
      action: 'role.created',
      target: { type: 'role', id, name },
      changes: { permissions: { to: ordered(permissions) } },
    })
    return { role: await getRole(ctx, id) }
  })

/** Renames a role, changes its permissions, or both; also the default role. Throws NOT_FOUND and VALIDATION_ERROR. */
export const updateRole = (ctx: Ctx, roleId: string, change: RoleChange): Promise<{ role: Role }> =>
  inTransaction(ctx, async (ctx) => {
    await lockWorkspace(ctx)
    const roles = await listRoleNames(ctx)
    const { name, permissions } = change
    if (!roles.some(({ id }) => id === roleId)) throw noSuchRole()
    const before = await getRole(ctx, roleId)
    if (name !== undefined)
      refuseTaken(
        roles.filter(({ id }) => id !== roleId),
        name,
      )
    await updateRoleRow(ctx, {
      id: roleId,
      ...(name !== undefined && { name }),
      ...(permissions && { permissions: ordered(permissions) }),
    })
    // Their consoles must update what they show.
    const members = await listMembersOfRole(ctx, roleId)
    await record(
      ctx,
      members.map((agentId) => ({ type: 'agent.updated', data: { agentId } })),
    )
    const role = await getRole(ctx, roleId)
    await recordAudit(ctx, {
      action: 'role.updated',
      target: { type: 'role', id: roleId, name: role.name },
      changes: changesBetween(
        { name: before.name, permissions: before.permissions },
        { name: role.name, permissions: role.permissions },
      ),
    })
    return { role }
  })

const noSuchRole = () => new ApiError('NOT_FOUND', { message: 'Role not found.' })

const getRole = async (ctx: Ctx, id: string): Promise<Role> => {
  const [role] = await listRoles(ctx, id)
  if (!role) throw noSuchRole()
  return role
}

const ordered = (permissions: readonly Permission[]): Permission[] =>
  PERMISSIONS.filter((permission) => permissions.includes(permission))

const refuseTaken = (others: readonly { name: string }[], name: string): void => {
  if (others.some((other) => foldText(other.name) === foldText(name)))
    throw invalid({ field: 'name', message: 'is the name of another role' })
}

/**
 * Deletes a role; its members, including those removed from the workspace, get the default role. Throws NOT_FOUND, and
 * ROLE_IS_DEFAULT for the default role.
 */
export const deleteRole = (ctx: Ctx, roleId: string): Promise<{ success: true; movedCount: number }> =>
  inTransaction(ctx, async (ctx) => {
    const role = await lockRole(ctx, roleId, 'goes')
    if (!role) throw noSuchRole()
    const { name } = await getRole(ctx, roleId)
    if (role.isDefault) throw new ApiError('ROLE_IS_DEFAULT')
    const members = await listMembersOfRole(ctx, roleId)
    await moveMembersToRole(ctx, { from: roleId, to: await getDefaultRoleId(ctx) })
    await deleteRoleRow(ctx, roleId)
    await recordAudit(ctx, { action: 'role.deleted', target: { type: 'role', id: roleId, name } })
    await record(
      ctx,
      members.map((agentId) => ({ type: 'agent.updated', data: { agentId } })),
    )
    return { success: true, movedCount: members.length }
  })
