// The directory's parameters: filters, orders and pages.
import Type, { type Static } from 'typebox'
import { PAGE_DEFAULT, PAGE_MAX } from '../../platform/db/pagination.ts'
import { CHANNELS } from '../../platform/db/tables.ts'
import { Email, QueryTime } from '../schema.ts'
import { CUSTOM_FIELD_KEY_MAX, CUSTOM_FIELD_VALUE_MAX, PhoneInAnyNotation } from './schema.ts'

export const CONTACT_SEARCH_MAX = 160
export const CONTACT_PAGE_SIZE_DEFAULT = 20
const CUSTOM_FIELD_FILTERS_MAX = 5

/** Why a parameter cannot be combined with the sort order. Ajv has no useful message for "not". */
const notWith = (notSays: string) => ({ not: {}, notSays })
const ONLY_CREATED = notWith('is only allowed with sort=created')
const ONLY_ACTIVITY = notWith('is not allowed with sort=created')

const CustomFieldsFilter = Type.Unsafe<Record<string, string>>({
  type: 'object',
  maxProperties: CUSTOM_FIELD_FILTERS_MAX,
  propertyNames: { minLength: 1, maxLength: CUSTOM_FIELD_KEY_MAX },
  additionalProperties: { type: 'string', maxLength: CUSTOM_FIELD_VALUE_MAX },
  description: `Only contacts with exactly these values: \`customFields[plan]=pro\`. Case-sensitive. Numbers and booleans are found by their text, such as \`12\` or \`true\`. At most ${CUSTOM_FIELD_FILTERS_MAX} fields, whose names contain no brackets.`,
})

export const ContactsQuery = Type.Object(
  {
    search: Type.Optional(
      Type.String({
        trim: true,
        maxLength: CONTACT_SEARCH_MAX,
        description:
          'Part of a name, email, phone or username, case-insensitive. Digits, with any spacing, also match phone numbers that contain them, and a number in national format matches it with its country code.',
      }),
    ),
    email: Type.Optional(
      Email({
        description: 'Only contacts with exactly this email, case-insensitive.',
      }),
    ),
    phone: Type.Optional(PhoneInAnyNotation('Only contacts with exactly this phone number')),
    country: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z]{2}$',
        patternSays: 'must be a two-letter country code',
        description: 'ISO 3166-1 alpha-2, case-insensitive.',
      }),
    ),
    channel: Type.Optional(
      Type.Enum([...CHANNELS], { description: 'Only contacts with a conversation on this channel.' }),
    ),
    assignment: Type.Optional(
      Type.Enum(['assigned', 'unassigned'], {
        description: 'Whether the latest conversation has an agent.',
      }),
    ),
    hasOpen: Type.Optional(
      Type.Boolean({
        description: 'true: only contacts with an open conversation. false has no effect.',
      }),
    ),
    tagId: Type.Optional(Type.String({ description: 'Only contacts with this tag.' })),
    createdAfter: QueryTime('Only contacts created at this time or later (`firstContactAt`).'),
    customFields: Type.Optional(CustomFieldsFilter),
    sort: Type.Optional(
      Type.Enum(['activity', 'created'], {
        description:
          '`activity` (default): latest activity first, with pages. `created`: newest contacts first, with a cursor, for polling.',
      }),
    ),
    page: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'Default 1. A page past the end returns the last page. Not with sort=created.',
      }),
    ),
    pageSize: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: PAGE_MAX,
        description: `Default ${CONTACT_PAGE_SIZE_DEFAULT}. Not with sort=created.`,
      }),
    ),
    cursor: Type.Optional(
      Type.String({ description: 'The nextCursor of the previous page. Only with sort=created.' }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: PAGE_MAX,
        description: `Default ${PAGE_DEFAULT}. Only with sort=created.`,
      }),
    ),
  },
  {
    if: { properties: { sort: { const: 'created' } }, required: ['sort'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: { page: ONLY_ACTIVITY, pageSize: ONLY_ACTIVITY } },
    else: { properties: { cursor: ONLY_CREATED, limit: ONLY_CREATED } },
  },
)
export type ContactsQuery = Static<typeof ContactsQuery>
