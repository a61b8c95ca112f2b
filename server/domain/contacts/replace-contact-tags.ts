import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { invalid } from '../../platform/errors.ts'
import { record } from '../../platform/events/record.ts'
import { addContactEvents } from '../automation/contact-events.ts'
import type { TagList } from '../tags/schema.ts'
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
    const known = new Set(tags.map(({ id }) => id))
    if (known.size < wanted.length)
      throw invalid(
        ...tagIds.flatMap((id, index) =>
          known.has(id) ? [] : [{ field: `tagIds[${index}]`, message: 'is not a tag of this workspace' }],
        ),
      )
    const { added, removed } = await setContactTags(ctx, contactId, wanted)
    await addContactEvents(
      ctx,
      contactId,
      added.map((tagId) => ({ on: 'tagged', tagId })),
    )
    if (added.length > 0 || removed.length > 0)
      await record(ctx, {
        type: 'contact.updated',
        contactId,
        data: { contactId, changed: ['tags'], tagIdsAdded: added, tagIdsRemoved: removed },
      })
    return { tags }
  })
