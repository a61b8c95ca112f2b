import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { invalid } from '../../platform/errors.ts'
import { record } from '../../platform/events/record.ts'
import { addContactEvents } from '../automation/contact-events.ts'
import type { TagList } from '../tags/schema.ts'
import { listContactTags, lockContact, lockTags, setContactTags } from './profile-queries.ts'
import type { ChangeTagsBody } from './schema.ts'

/**
 * Adds tags to a contact and removes others; whatever is neither stays, also if somebody else adds it at the same moment.
 * Returns all tags of the contact. Throws CONTACT_NOT_FOUND, and VALIDATION_ERROR naming every id that is not a tag of
 * this workspace or is to be both added and removed.
 */
export const changeContactTags = (
  ctx: Ctx,
  contactId: string,
  { add = [], remove = [] }: ChangeTagsBody,
): Promise<TagList> =>
  inTransaction(ctx, async (ctx) => {
    await lockContact(ctx, contactId)
    const known = new Set((await lockTags(ctx, [...new Set([...add, ...remove])])).map(({ id }) => id))
    const problems = [
      ...unknownTags(known, 'add', add),
      ...unknownTags(known, 'remove', remove),
      ...remove.flatMap((id, index) =>
        add.includes(id) ? [{ field: `remove[${index}]`, message: 'is also in add' }] : [],
      ),
    ]
    if (problems.length > 0) throw invalid(...problems)
    await announceTags(
      ctx,
      contactId,
      await setContactTags(ctx, contactId, { add: [...new Set(add)], remove }),
    )
    return { tags: await listContactTags(ctx, contactId) }
  })

/** The entries of a list that name no tag of the workspace. */
export const unknownTags = (known: ReadonlySet<string>, field: string, ids: readonly string[]) =>
  ids.flatMap((id, index) =>
    known.has(id) ? [] : [{ field: `${field}[${index}]`, message: 'is not a tag of this workspace' }],
  )

/** Tells automation and followers which tags the contact got and lost, if any. */
export const announceTags = async (
  ctx: Ctx,
  contactId: string,
  { added, removed }: { added: string[]; removed: string[] },
): Promise<void> => {
  if (added.length === 0 && removed.length === 0) return
  await addContactEvents(
    ctx,
    contactId,
    added.map((tagId) => ({ on: 'tagged', tagId })),
  )
  await record(ctx, {
    type: 'contact.updated',
    contactId,
    data: { contactId, changed: ['tags'], tagIdsAdded: added, tagIdsRemoved: removed },
  })
}
