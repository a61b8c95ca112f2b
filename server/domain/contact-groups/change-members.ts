// Changes the members of a group: added by ids, by a filter, or by pasted phone numbers and emails, and removed.
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { conflict } from '../../platform/db/failures.ts'
import { ApiError, invalid } from '../../platform/errors.ts'
import { record } from '../../platform/events/record.ts'
import { mapInTurns } from '../../platform/in-turns.ts'
import { contactsMatching, readFilter } from '../contacts/audience-filter.ts'
import type { AudienceFilter } from '../contacts/audience-schema.ts'
import { namesOf } from '../contacts/names.ts'
import type { Identity } from '../contacts/people-queries.ts'
import { toE164 } from '../contacts/phone.ts'
import {
  countMembers,
  deleteMembers,
  findContactsOfLines,
  insertMembersById,
  insertPeopleOf,
  listContactIds,
} from './member-queries.ts'
import { lockContactGroup, updateContactGroupRow } from './queries.ts'
import { type AddMembers, GROUP_SIZE_MAX, type MembersAdded } from './schema.ts'

const FOREIGN_KEY_VIOLATION = '23503'

/**
 * Adds contacts to a group; existing members are fine. Exactly one of the three inputs is given. Throws
 * CONTACT_GROUP_NOT_FOUND, and VALIDATION_ERROR for a filter without a condition and beyond 200,000 members; then
 * nobody is added.
 */
export const addGroupMembers = (ctx: Ctx, groupId: string, input: AddMembers): Promise<MembersAdded> =>
  inTransaction(ctx, async (ctx) => {
    if (!(await lockContactGroup(ctx, groupId))) throw new ApiError('CONTACT_GROUP_NOT_FOUND')
    const { contactIds, filter, phonesOrEmails } = input
    const adding = contactIds
      ? addByIds(ctx, groupId, contactIds)
      : filter
        ? addByFilter(ctx, groupId, filter)
        : addByLines(ctx, groupId, phonesOrEmails ?? [])
    const answer = await adding.catch((error) => {
      // A contact was merged into another after it was found: retry the transaction.
      throw error.code === FOREIGN_KEY_VIOLATION ? conflict('a contact was merged meanwhile', error) : error
    })
    if (answer.added === 0) return answer
    if ((await countMembers(ctx, groupId)) > GROUP_SIZE_MAX)
      throw invalid({
        field: contactIds ? 'contactIds' : filter ? 'filter' : 'phonesOrEmails',
        message: `would make the group larger than ${GROUP_SIZE_MAX} members`,
      })
    await updateContactGroupRow(ctx, groupId, {})
    await record(ctx, { type: 'contact_group.updated', data: { groupId, added: answer.added, removed: 0 } })
    return answer
  })

/** Removes contacts from a group; non-members are ignored. Throws CONTACT_GROUP_NOT_FOUND. */
export const removeGroupMembers = (
  ctx: Ctx,
  groupId: string,
  { contactIds }: { contactIds: string[] },
): Promise<{ removed: number }> =>
  inTransaction(ctx, async (ctx) => {
    if (!(await lockContactGroup(ctx, groupId))) throw new ApiError('CONTACT_GROUP_NOT_FOUND')
    const removed = await deleteMembers(ctx, groupId, contactIds)
    if (removed === 0) return { removed }
    await updateContactGroupRow(ctx, groupId, {})
    await record(ctx, { type: 'contact_group.updated', data: { groupId, added: 0, removed } })
    return { removed }
  })

const addByIds = async (ctx: Ctx, groupId: string, given: string[]): Promise<MembersAdded> => {
  const contactIds = [...new Set(given)]
  const known = await listContactIds(ctx, contactIds)
  const { added, matched } = await insertMembersById(ctx, groupId, [...known])
  return { added, alreadyIn: matched - added, notFound: contactIds.filter((id) => !known.has(id)) }
}

const addByFilter = async (ctx: Ctx, groupId: string, filter: AudienceFilter): Promise<MembersAdded> => {
  const people = contactsMatching(ctx, readFilter(filter, 'filter'))
  // One more than fits, so that too many are refused rather than silently dropped.
  const { added, matched } = await insertPeopleOf(ctx, groupId, people, GROUP_SIZE_MAX + 1)
  return { added, alreadyIn: matched - added, notFound: [] }
}

const addByLines = async (ctx: Ctx, groupId: string, given: string[]): Promise<MembersAdded> => {
  const lines = [...new Set(given.map((line) => line.trim()))].filter((line) => line !== '')
  const named = await mapInTurns(lines, (text, line) =>
    namesOfLine(ctx, text).map((name) => ({ ...name, line })),
  )
  const contactOf = await findContactsOfLines(ctx, named.flat())
  const { added, matched } = await insertMembersById(ctx, groupId, [...new Set(contactOf.values())])
  return { added, alreadyIn: matched - added, notFound: lines.filter((_, line) => !contactOf.has(line)) }
}

/** `Jane <jane@example.org>`, as mail programs copy it. */
const IN_ANGLES = /<([^<>\s@]+@[^<>\s]+)>/

/**
 * The identities that may find the person of a pasted line, the most certain first; none if it is no address or number.
 */
const namesOfLine = (ctx: Ctx, text: string): Identity[] => {
  if (text.includes('@')) return [{ kind: 'email', value: (IN_ANGLES.exec(text)?.[1] ?? text).toLowerCase() }]
  const isUserId = ctx.channels.whatsapp.isUserId(text)
  const phone = isUserId ? null : toE164(text)
  if (!isUserId && !phone) return []
  return namesOf(ctx, { userId: isUserId ? text : null, waId: null, phone, name: null, username: null })
}
