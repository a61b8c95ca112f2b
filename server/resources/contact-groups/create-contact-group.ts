import { type Ctx, inTransaction } from '../../ctx.ts'
import { invalid } from '../../errors.ts'
import { makeFieldReader } from '../read-fields.ts'
import { countContactGroups, getContactGroup, insertContactGroup, insertMembers } from './queries.ts'
import {
  type ContactGroup,
  GROUP_DESCRIPTION_MAX,
  GROUP_MEMBERS_MAX,
  GROUP_NAME_MAX,
  GROUPS_MAX,
} from './schema.ts'

export type NewContactGroup = { name: string; description?: string; contactIds: string[] }

/**
 * Makes a group of contacts; one named twice is a member once. Throws VALIDATION_ERROR for a name (1 to 120) or
 * description (at most 500 characters) out of bounds, past 1000 groups or 10,000 contacts, and for every id that is no
 * contact of the workspace, as `contact[i]` or whatever its caller calls them.
 */
export const createContactGroup = (
  ctx: Ctx,
  input: NewContactGroup,
  contactsField = 'contact',
): Promise<ContactGroup> =>
  inTransaction(ctx, async (ctx) => {
    const { contactIds } = input
    const given = input.description?.trim() || undefined
    const fields = makeFieldReader({ name: input.name, description: given })
    const name = fields.text('name', GROUP_NAME_MAX)
    const description = fields.optional('description', () =>
      fields.text('description', GROUP_DESCRIPTION_MAX),
    )
    if (contactIds.length > GROUP_MEMBERS_MAX)
      fields.refuse(contactsField, `must be given at most ${GROUP_MEMBERS_MAX} times`)
    if ((await countContactGroups(ctx)) >= GROUPS_MAX)
      fields.refuse('name', `the workspace has ${GROUPS_MAX} groups already`)
    fields.finish()
    const id = ctx.newId()
    await insertContactGroup(ctx, { id, name, description: description ?? '' })
    const members = await insertMembers(ctx, id, contactIds)
    const unknown = contactIds.flatMap((contactId, index) =>
      members.has(contactId)
        ? []
        : [{ field: `${contactsField}[${index}]`, message: 'is no contact of the workspace' }],
    )
    if (unknown.length > 0) throw invalid(...unknown)
    return getContactGroup(ctx, id)
  })
