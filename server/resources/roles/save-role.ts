// Making a role and changing one. What a role allows counts from the next request of its members on: every request of
// the console reads it anew.
import { type Ctx, inTransaction } from '../../ctx.ts'
import { ApiError, invalid } from '../../errors.ts'
import { recordMany } from '../../events/record.ts'
import { listMembersOfRole } from '../agents/queries.ts'
import { foldText } from '../contacts/search-text.ts'
import { lockWorkspace } from '../workspaces/queries.ts'
import { PERMISSIONS, type Permission } from './permissions.ts'
import { insertRole, listRoleNames, listRoles, updateRoleRow } from './queries.ts'
import { type NewRole, ROLES_MAX, type Role, type RoleChange } from './schema.ts'

/** Throws VALIDATION_ERROR for a name that another role has, in whatever case, and past 100 roles. */
export const createRole = (ctx: Ctx, { name, permissions }: NewRole): Promise<{ role: Role }> =>
  inTransaction(ctx, async (ctx) => {
    await lockWorkspace(ctx)
    const others = await listRoleNames(ctx)
    if (others.length >= ROLES_MAX)
      throw invalid({ field: 'name', message: `the workspace has ${ROLES_MAX} roles already` })
    refuseTaken(others, name)
    const id = ctx.newId()
    await insertRole(ctx, { id, name, permissions: ordered(permissions) })
    return { role: await getRole(ctx, id) }
  })

/** Renames a role, changes what it allows, or both; the default one too. Throws NOT_FOUND and VALIDATION_ERROR. */
export const updateRole = (ctx: Ctx, roleId: string, change: RoleChange): Promise<{ role: Role }> =>
  inTransaction(ctx, async (ctx) => {
    await lockWorkspace(ctx)
    const roles = await listRoleNames(ctx)
    const { name, permissions } = change
    if (!roles.some(({ id }) => id === roleId)) throw noSuchRole()
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
    // Their consoles show other things from now on.
    const members = await listMembersOfRole(ctx, roleId)
    await recordMany(
      ctx,
      members.map((agentId) => ({ type: 'agent.updated', data: { agentId } })),
    )
    return { role: await getRole(ctx, roleId) }
  })

export const noSuchRole = () => new ApiError('NOT_FOUND', { message: 'The workspace has no such role.' })

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
