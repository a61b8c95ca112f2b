import type { Ctx } from '../../ctx.ts'
import { deleteTagRow } from './queries.ts'
import { noSuchTag } from './update-tag.ts'

/** Removes a tag, from every contact too. Throws NOT_FOUND. */
export const deleteTag = async (ctx: Ctx, tagId: string): Promise<{ success: true }> => {
  if (!(await deleteTagRow(ctx, tagId))) throw noSuchTag()
  return { success: true }
}
