import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError, invalid } from '../../platform/errors.ts'
import { record } from '../../platform/events/record.ts'
import { makeFieldReader } from '../read-fields.ts'
import { listGroupSummaries } from './member-queries.ts'
import {
  countContactGroups,
  deleteContactGroupRow,
  getContactGroup,
  insertContactGroup,
  insertMembers,
  lockContactGroup,
  updateContactGroupRow,
} from './queries.ts'
import {
  type ContactGroup,
  GROUP_DESCRIPTION_MAX,
  GROUP_MEMBERS_MAX,
  GROUP_NAME_MAX,
  GROUPS_MAX,
  type GroupChange,
  type GroupSummary,
} from './schema.ts'

export type NewContactGroup = { name: string; description?: string; contactIds: string[] }

/**
 * Creates a group of contacts; duplicates are ignored. Throws VALIDATION_ERROR for a name (1 to 120) or description (at
 * most 500 characters) out of bounds, beyond 1000 groups or 10,000 contacts, and for every id that is no contact of the
 * workspace, as `contact[i]` or the caller's name for it.
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
      fields.refuse('name', `the workspace already has ${GROUPS_MAX} groups`)
    fields.finish()
    const id = ctx.newId()
    await insertContactGroup(ctx, { id, name, description: description ?? '' })
    const members = await insertMembers(ctx, id, contactIds)
    const unknown = contactIds.flatMap((contactId, index) =>
      members.has(contactId)
        ? []
        : [{ field: `${contactsField}[${index}]`, message: 'is not a contact of this workspace' }],
    )
    if (unknown.length > 0) throw invalid(...unknown)
    await record(ctx, { type: 'contact_group.created', data: { groupId: id, added: members.size } })
    return getContactGroup(ctx, id)
  })

/** Throws CONTACT_GROUP_NOT_FOUND. */
export const getGroupSummary = async (ctx: Ctx, groupId: string): Promise<{ group: GroupSummary }> => {
  const [group] = await listGroupSummaries(ctx, groupId)
  if (!group) throw new ApiError('CONTACT_GROUP_NOT_FOUND')
  return { group }
}

/** Changes a group's name, its description, or both. Throws CONTACT_GROUP_NOT_FOUND. */
export const updateContactGroup = (
  ctx: Ctx,
  groupId: string,
  change: GroupChange,
): Promise<{ group: GroupSummary }> =>
  inTransaction(ctx, async (ctx) => {
    if (!(await lockContactGroup(ctx, groupId))) throw new ApiError('CONTACT_GROUP_NOT_FOUND')
    await updateContactGroupRow(ctx, groupId, change)
    await record(ctx, { type: 'contact_group.updated', data: { groupId, added: 0, removed: 0 } })
    return getGroupSummary(ctx, groupId)
  })

/**
 * Deletes a group; its contacts stay. A broadcast to it keeps the group's name and its recipients, even while sending.
 * Throws CONTACT_GROUP_NOT_FOUND.
 */
export const deleteContactGroup = (ctx: Ctx, groupId: string): Promise<{ success: true }> =>
  inTransaction(ctx, async (ctx) => {
    if (!(await deleteContactGroupRow(ctx, groupId))) throw new ApiError('CONTACT_GROUP_NOT_FOUND')
    await record(ctx, { type: 'contact_group.deleted', data: { groupId } })
    return { success: true }
  })
