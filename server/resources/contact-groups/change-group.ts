// A group's name and description, and its end.
import { type Ctx, inTransaction } from '../../ctx.ts'
import { ApiError } from '../../errors.ts'
import { listGroupSummaries } from './member-queries.ts'
import { deleteContactGroupRow, lockContactGroup, updateContactGroupRow } from './queries.ts'
import type { GroupChange, GroupSummary } from './schema.ts'

/** Throws CONTACT_GROUP_NOT_FOUND. */
export const getGroupSummary = async (ctx: Ctx, groupId: string): Promise<{ group: GroupSummary }> => {
  const [group] = await listGroupSummaries(ctx, groupId)
  if (!group) throw new ApiError('CONTACT_GROUP_NOT_FOUND')
  return { group }
}

/** Renames a group, describes it anew, or both. Throws CONTACT_GROUP_NOT_FOUND. */
export const updateContactGroup = (
  ctx: Ctx,
  groupId: string,
  change: GroupChange,
): Promise<{ group: GroupSummary }> =>
  inTransaction(ctx, async (ctx) => {
    if (!(await lockContactGroup(ctx, groupId))) throw new ApiError('CONTACT_GROUP_NOT_FOUND')
    await updateContactGroupRow(ctx, groupId, change)
    return getGroupSummary(ctx, groupId)
  })

/**
 * Removes a group; its contacts stay. A broadcast that went to it keeps the group's name and its recipients, also while
 * it is still sending. Throws CONTACT_GROUP_NOT_FOUND.
 */
export const deleteContactGroup = async (ctx: Ctx, groupId: string): Promise<{ success: true }> => {
  if (!(await deleteContactGroupRow(ctx, groupId))) throw new ApiError('CONTACT_GROUP_NOT_FOUND')
  return { success: true }
}
