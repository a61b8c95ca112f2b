import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError, invalid } from '../../platform/errors.ts'
import { record } from '../../platform/events/record.ts'
import { makeFieldReader } from '../read-fields.ts'
import { foldText } from '../search/search-text.ts'
import { countTags, deleteTagRow, insertTag, lockTag, updateTagRow } from './queries.ts'
import { TAG_NAME_MAX, type Tag, type TagChange } from './schema.ts'

const COLOR_PATTERN = /^#[0-9a-f]{6}$/
/** Bounded because GET /tags returns all of them. */
const TAGS_MAX = 1000

/**
 * Creates a tag with a name of 1 to 60 characters, unique in the workspace ignoring case. Throws VALIDATION_ERROR for a
 * name that is taken or too long, a color that is not #rrggbb, and beyond 1000 tags.
 */
export const createTag = (ctx: Ctx, input: { name: string; color: string }): Promise<Tag> =>
  inTransaction(ctx, async (ctx) => {
    const { name, color } = readTag(input)
    if ((await countTags(ctx)) >= TAGS_MAX)
      throw invalid({ field: 'name', message: `the workspace already has ${TAGS_MAX} tags` })
    const tag = await insertTag(ctx, { name, nameKey: foldText(name), color })
    if (!tag) throw nameTaken()
    await record(ctx, { type: 'tag.created', data: { tagId: tag.id } })
    return tag
  })

const nameTaken = () => invalid({ field: 'name', message: 'is the name of another tag' })

/** Throws VALIDATION_ERROR naming what is wrong with a tag's name or color. */
const readTag = (input: { name: string; color: string }): { name: string; color: string } => {
  const fields = makeFieldReader(input)
  const name = fields.text('name', TAG_NAME_MAX)
  const color = fields.text('color', COLOR_MAX).toLowerCase()
  if (color !== '' && !COLOR_PATTERN.test(color)) fields.refuse('color', 'must be a color such as #2f80ed')
  fields.finish()
  return { name, color }
}

/** Longer than any color, so that an invalid one gets the error that shows a valid one. */
const COLOR_MAX = 40

/**
 * Renames or recolours a tag, on every contact that has it. Throws TAG_NOT_FOUND, and VALIDATION_ERROR as in createTag;
 * changing only the case of its own name is allowed.
 */
export const updateTag = (ctx: Ctx, tagId: string, change: TagChange): Promise<{ tag: Tag }> =>
  inTransaction(ctx, async (ctx) => {
    const before = await lockTag(ctx, tagId)
    if (!before) throw noSuchTag()
    const { name, color } = readTag({ name: change.name ?? before.name, color: change.color ?? before.color })
    const tag = await updateTagRow(ctx, { id: tagId, name, nameKey: foldText(name), color })
    if (!tag) throw nameTaken()
    if (tag.name !== before.name || tag.color !== before.color)
      await record(ctx, { type: 'tag.updated', data: { tagId } })
    return { tag }
  })

const noSuchTag = () => new ApiError('TAG_NOT_FOUND')

/** Deletes a tag, and removes it from every contact. Throws TAG_NOT_FOUND. */
export const deleteTag = (ctx: Ctx, tagId: string): Promise<{ success: true }> =>
  inTransaction(ctx, async (ctx) => {
    if (!(await deleteTagRow(ctx, tagId))) throw noSuchTag()
    await record(ctx, { type: 'tag.deleted', data: { tagId } })
    return { success: true }
  })
