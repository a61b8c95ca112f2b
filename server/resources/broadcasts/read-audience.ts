import type { Ctx } from '../../ctx.ts'
import { ApiError, type ErrorDetail, invalid } from '../../errors.ts'
import { normalizeFilter } from '../contacts/directory-filter.ts'
import { namesOf } from '../contacts/resolve-people.ts'
import { RECIPIENT_SAYS, readRecipient } from '../templates/read-recipient.ts'
import {
  type ContactFilter,
  contactsMatching,
  findGroup,
  type ListedRecipient,
  listedPeople,
  membersOf,
  type People,
  theContacts,
} from './audience-queries.ts'
import type { Audience, AudienceFilter } from './schema.ts'

export type AudienceRead = {
  people: People
  group: { id: string; name: string } | null
  /** How many the caller listed; null where a group or a filter names them. */
  listedCount: number | null
}

/**
 * An audience as the database is asked for it. Throws CONTACT_GROUP_NOT_FOUND, and VALIDATION_ERROR for a filter
 * without a condition and for every listed phone that is none.
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
        people: listedPeople(ctx, readRecipients(ctx, recipients)),
        group: null,
        listedCount: recipients.length,
      }
    }
  }
}

/** An empty condition is none: a filter that holds for everybody was hardly meant. */
export const readFilter = (
  { tagIds, customFields, activeAfter, activeBefore, ...directory }: AudienceFilter,
  field = 'audience.filter',
): ContactFilter => {
  const filter: ContactFilter = {
    ...normalizeFilter(directory),
    ...(tagIds && tagIds.length > 0 && { tagIds: [...new Set(tagIds)] }),
    ...(customFields && Object.keys(customFields).length > 0 && { customFields }),
    ...(activeAfter && { activeAfter: withinYears(activeAfter) }),
    ...(activeBefore && { activeBefore: withinYears(activeBefore) }),
  }
  if (Object.keys(filter).length > 0) return filter
  throw invalid({ field, message: 'must have at least one condition that filters' })
}

const YEARS = [Date.parse('0001-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59.999Z')] as const

/** PostgreSQL reads no year 0, and none of five digits as JavaScript writes it. */
const withinYears = (text: string): string =>
  new Date(Math.min(Math.max(Date.parse(text), YEARS[0]), YEARS[1])).toISOString()

type Row = Extract<Audience, { type: 'recipients' }>['recipients'][number]

const readRecipients = (ctx: Ctx, rows: readonly Row[]): ListedRecipient[] => {
  const problems: ErrorDetail[] = []
  const recipients = rows.map(({ phone, parameters }, index): ListedRecipient => {
    const person = readRecipient(ctx, phone)
    if (!person) problems.push({ field: `audience.recipients[${index}].phone`, message: RECIPIENT_SAYS })
    return { names: person ? namesOf(ctx, person) : [], parameters: parameters ?? null }
  })
  if (problems.length > 0) throw invalid(...problems)
  return recipients
}
