import { type Ctx, inTransaction } from '../../ctx.ts'
import { ApiError } from '../../errors.ts'
import { foldText } from '../contacts/search-text.ts'
import { nameTaken, readTag } from './create-tag.ts'
import { lockTag, updateTagRow } from './queries.ts'
import type { Tag, TagChange } from './schema.ts'

/**
 * Renames or recolours a tag, on every contact that has it. Throws NOT_FOUND, and VALIDATION_ERROR as making one does;
 * its own name in other letters is free to it.
 */
export const updateTag = (ctx: Ctx, tagId: string, change: TagChange): Promise<{ tag: Tag }> =>
  inTransaction(ctx, async (ctx) => {
    const before = await lockTag(ctx, tagId)
    if (!before) throw noSuchTag()
    const { name, color } = readTag({ name: change.name ?? before.name, color: change.color ?? before.color })
    const tag = await updateTagRow(ctx, { id: tagId, name, nameKey: foldText(name), color })
    if (!tag) throw nameTaken()
    return { tag }
  })

export const noSuchTag = () => new ApiError('NOT_FOUND', { message: 'The workspace has no such tag.' })
