import type { Ctx } from '../../platform/ctx/ctx.ts'
import { ApiError, type ErrorDetail, invalid } from '../../platform/errors.ts'
import { mapInTurns } from '../../platform/in-turns.ts'
import { contactsMatching, type People, readFilter } from '../contacts/audience-filter.ts'
import { namesOf } from '../contacts/names.ts'
import { RECIPIENT_SAYS, readRecipient } from '../templates/read-recipient.ts'
import { findGroup, type ListedRecipient, listedPeople, membersOf, theContacts } from './audience-queries.ts'
import type { Audience } from './schema.ts'

type AudienceRead = {
  people: People
  group: { id: string; name: string } | null
  /** How many the caller listed; null for a group or a filter. */
  listedCount: number | null
}

/**
 * Converts an audience to the form that the queries take. Throws CONTACT_GROUP_NOT_FOUND, and VALIDATION_ERROR for a
 * filter without a condition and for every listed phone that is invalid.
 */
export const readAudience = async (ctx: Ctx, audience: Audience): Promise<AudienceRead> => {
  switch (audience.type) {
    case 'group': {
      const group = await findGroup(ctx, audience.groupId)
      if (!group) throw new ApiError('CONTACT_GROUP_NOT_FOUND')
      return { people: membersOf(ctx, group.id), group, listedCount: null }
    }
    case 'contacts': {
      const ids = [...new Set(audience.contactIds)]
      return { people: theContacts(ids), group: null, listedCount: ids.length }
    }
    case 'filter':
      return {
        people: contactsMatching(ctx, readFilter(audience.filter)),
        group: null,
        listedCount: null,
      }
    case 'recipients': {
      const { recipients } = audience
      return {
        people: listedPeople(ctx, await readRecipients(ctx, recipients)),
        group: null,
        listedCount: recipients.length,
      }
    }
  }
}

type Row = Extract<Audience, { type: 'recipients' }>['recipients'][number]

const readRecipients = async (ctx: Ctx, rows: readonly Row[]): Promise<ListedRecipient[]> => {
  const problems: ErrorDetail[] = []
  const recipients = await mapInTurns(rows, ({ phone, parameters }, index): ListedRecipient => {
    const person = readRecipient(ctx, phone)
    if (!person) problems.push({ field: `audience.recipients[${index}].phone`, message: RECIPIENT_SAYS })
    return { names: person ? namesOf(ctx, person) : [], parameters: parameters ?? null }
  })
  if (problems.length > 0) throw invalid(...problems)
  return recipients
}
