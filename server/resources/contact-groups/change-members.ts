// Who is in a group: added by their ids, by what a filter finds, or by pasted phone numbers and emails, and taken out.
import { setImmediate as letOthersRun } from 'node:timers/promises'
import { type Ctx, inTransaction } from '../../ctx.ts'
import { ApiError, invalid } from '../../errors.ts'
import { contactsMatching } from '../broadcasts/audience-queries.ts'
import { readFilter } from '../broadcasts/read-audience.ts'
import type { AudienceFilter } from '../broadcasts/schema.ts'
import type { Known } from '../contacts/people-queries.ts'
import { toE164 } from '../contacts/phone.ts'
import { namesOf } from '../contacts/resolve-people.ts'
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
const SERIALIZATION_FAILURE = '40001'

/**
 * Adds contacts to a group, who may be in it already. Exactly one of the three is given. Throws CONTACT_GROUP_NOT_FOUND,
 * and VALIDATION_ERROR for a filter without a condition and past 200,000 members; then nobody was added.
 */
export const addGroupMembers = (ctx: Ctx, groupId: string, input: AddMembers): Promise<MembersAdded> =>
  inTransaction(ctx, async (ctx) => {
    if (!(await lockContactGroup(ctx, groupId))) throw new ApiError('CONTACT_GROUP_NOT_FOUND')
    const { contactIds, filter, phonesOrEmails } = input
    const answer = contactIds
      ? await addByIds(ctx, groupId, contactIds)
      : filter
        ? await addByFilter(ctx, groupId, filter)
        : await addByLines(ctx, groupId, phonesOrEmails ?? [])
    if (answer.added === 0) return answer
    if ((await countMembers(ctx, groupId)) > GROUP_SIZE_MAX)
      throw invalid({
        field: contactIds ? 'contactIds' : filter ? 'filter' : 'phonesOrEmails',
        message: `would make the group larger than ${GROUP_SIZE_MAX} members`,
      })
    await updateContactGroupRow(ctx, groupId, {})
    return answer
  }).catch((error) => {
    // A contact that was merged into another between being found and being added: all of it goes again.
    if (error.code === FOREIGN_KEY_VIOLATION) error.code = SERIALIZATION_FAILURE
    throw error
  })

/** Takes contacts out of a group; who is not in it is none. Throws CONTACT_GROUP_NOT_FOUND. */
export const removeGroupMembers = (
  ctx: Ctx,
  groupId: string,
  { contactIds }: { contactIds: string[] },
): Promise<{ removed: number }> =>
  inTransaction(ctx, async (ctx) => {
    if (!(await lockContactGroup(ctx, groupId))) throw new ApiError('CONTACT_GROUP_NOT_FOUND')
    const removed = await deleteMembers(ctx, groupId, contactIds)
    if (removed > 0) await updateContactGroupRow(ctx, groupId, {})
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
  // One more than fits, so that too many are refused rather than left out.
  const { added, matched } = await insertPeopleOf(ctx, groupId, people, GROUP_SIZE_MAX + 1)
  return { added, alreadyIn: matched - added, notFound: [] }
}

/** So many lines are read before other requests get their turn: reading a phone number takes some time. */
const LINES_AT_ONCE = 500

const addByLines = async (ctx: Ctx, groupId: string, given: string[]): Promise<MembersAdded> => {
  const lines = [...new Set(given.map((line) => line.trim()))].filter((line) => line !== '')
  const names: (Known & { line: number })[] = []
  for (const [line, text] of lines.entries()) {
    if (line % LINES_AT_ONCE === LINES_AT_ONCE - 1) await letOthersRun()
    for (const name of namesOfLine(ctx, text)) names.push({ ...name, line })
  }
  const contactOf = await findContactsOfLines(ctx, names)
  const { added, matched } = await insertMembersById(ctx, groupId, [...new Set(contactOf.values())])
  return { added, alreadyIn: matched - added, notFound: lines.filter((_, line) => !contactOf.has(line)) }
}

/** `Jane <jane@example.org>`, as mail programs copy it. */
const IN_ANGLES = /<([^<>\s]+@[^<>\s]+)>/

/** What the person of a pasted line may be found by, the surest first; none where it is no address and no number. */
const namesOfLine = (ctx: Ctx, text: string): Known[] => {
  if (text.includes('@')) return [{ kind: 'email', value: (IN_ANGLES.exec(text)?.[1] ?? text).toLowerCase() }]
  const isUserId = ctx.channels.whatsapp.isUserId(text)
  const phone = isUserId ? null : toE164(text)
  if (!isUserId && !phone) return []
  return namesOf(ctx, { userId: isUserId ? text : null, waId: null, phone, name: null, username: null })
}
