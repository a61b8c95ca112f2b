import { type Ctx, inTransaction } from '../../ctx.ts'
import { invalid } from '../../errors.ts'
import { foldText } from '../contacts/search-text.ts'
import { makeFieldReader } from '../read-fields.ts'
import { countTags, insertTag } from './queries.ts'
import { TAG_NAME_MAX, type Tag } from './schema.ts'

const COLOR_PATTERN = /^#[0-9a-f]{6}$/
/** GET /tags answers all of them, so there is an end to them. */
export const TAGS_MAX = 1000

/**
 * Adds a tag of 1 to 60 characters, unique in the workspace without regard to case. Throws VALIDATION_ERROR for a name
 * that is taken or too long, a color that is not #rrggbb, and past 1000 tags.
 */
export const createTag = (ctx: Ctx, input: { name: string; color: string }): Promise<Tag> =>
  inTransaction(ctx, async (ctx) => {
    const { name, color } = readTag(input)
    if ((await countTags(ctx)) >= TAGS_MAX)
      throw invalid({ field: 'name', message: `the workspace has ${TAGS_MAX} tags already` })
    const tag = await insertTag(ctx, { name, nameKey: foldText(name), color })
    if (!tag) throw nameTaken()
    return tag
  })

export const nameTaken = () => invalid({ field: 'name', message: 'is the name of another tag' })

/** Throws VALIDATION_ERROR naming what is wrong with a tag's name or color. */
export const readTag = (input: { name: string; color: string }): { name: string; color: string } => {
  const fields = makeFieldReader(input)
  const name = fields.text('name', TAG_NAME_MAX)
  const color = fields.text('color', COLOR_MAX).toLowerCase()
  if (color !== '' && !COLOR_PATTERN.test(color)) fields.refuse('color', 'must be a color such as #2f80ed')
  fields.finish()
  return { name, color }
}

/** Longer than any color, so that a wrong one is told what a right one looks like. */
const COLOR_MAX = 40
