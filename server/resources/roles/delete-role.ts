import { type Ctx, inTransaction } from '../../ctx.ts'
import { ApiError } from '../../errors.ts'
import { recordMany } from '../../events/record.ts'
import { listMembersOfRole, moveMembersToRole } from '../agents/queries.ts'
import { deleteRoleRow, getDefaultRoleId, lockRole } from './queries.ts'
import { noSuchRole } from './save-role.ts'

/**
 * Removes a role; its members have the default one from then on, those who were removed from the workspace too. Throws
 * NOT_FOUND, and ROLE_IS_DEFAULT for the default role.
 */
export const deleteRole = (ctx: Ctx, roleId: string): Promise<{ success: true; movedCount: number }> =>
  inTransaction(ctx, async (ctx) => {
    const role = await lockRole(ctx, roleId, 'goes')
    if (!role) throw noSuchRole()
    if (role.isDefault) throw new ApiError('ROLE_IS_DEFAULT')
    const members = await listMembersOfRole(ctx, roleId)
    await moveMembersToRole(ctx, { from: roleId, to: await getDefaultRoleId(ctx) })
    await deleteRoleRow(ctx, roleId)
    await recordMany(
      ctx,
      members.map((agentId) => ({ type: 'agent.updated', data: { agentId } })),
    )
    return { success: true, movedCount: members.length }
  })
