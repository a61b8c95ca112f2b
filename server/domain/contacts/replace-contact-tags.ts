import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { invalid } from '../../platform/errors.ts'
import type { TagList } from '../tags/schema.ts'
import { announceTags, unknownTags } from './change-contact-tags.ts'
import { lockContact, lockTags, setContactTags } from './profile-queries.ts'

/**
 * Sets a contact's tags to exactly these; duplicates count once. Throws CONTACT_NOT_FOUND, and VALIDATION_ERROR naming
 * every id that is not a tag of this workspace.
 */
export const replaceContactTags = (ctx: Ctx, contactId: string, tagIds: string[]): Promise<TagList> =>
  inTransaction(ctx, async (ctx) => {
    await lockContact(ctx, contactId)
    const wanted = [...new Set(tagIds)]
    const tags = await lockTags(ctx, wanted)
    const problems = unknownTags(new Set(tags.map(({ id }) => id)), 'tagIds', tagIds)
    if (problems.length > 0) throw invalid(...problems)
    await announceTags(
      ctx,
      contactId,
      await setContactTags(ctx, contactId, { add: wanted, remove: 'others' }),
    )
    return { tags }
  })
