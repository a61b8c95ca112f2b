import Type, { type Static } from 'typebox'
import { CHANNELS } from '../../platform/db/tables.ts'
import { CONTACT_SEARCH_MAX } from './directory-schema.ts'
import {
  CUSTOM_FIELD_KEY_MAX,
  CUSTOM_FIELD_VALUE_MAX,
  CUSTOM_FIELDS_PER_REQUEST_MAX,
  TAG_IDS_MAX,
} from './schema.ts'

export const ID_MAX = 64

const Ids = (maxItems: number, options: object) =>
  Type.Array(Type.String({ maxLength: ID_MAX }), { ...options, maxItems })

/** All given conditions must match. */
export const AudienceFilter = Type.Object(
  {
    search: Type.Optional(
      Type.String({ trim: true, maxLength: CONTACT_SEARCH_MAX, description: 'As in the contact list.' }),
    ),
    country: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z]{2}$',
        patternSays: 'must be a two-letter country code',
        description: 'ISO 3166-1 alpha-2, case-insensitive.',
      }),
    ),
    channel: Type.Optional(Type.Enum([...CHANNELS])),
    assignment: Type.Optional(Type.Enum(['assigned', 'unassigned'])),
    hasOpen: Type.Optional(
      Type.Boolean({ description: 'true: only contacts with an open conversation. false has no effect.' }),
    ),
    tagIds: Type.Optional(Ids(TAG_IDS_MAX, { description: 'Only contacts that have all of these tags.' })),
    customFields: Type.Optional(
      Type.Record(
        Type.String({ minLength: 1, maxLength: CUSTOM_FIELD_KEY_MAX }),
        Type.Unsafe<string | number | boolean>({
          type: ['string', 'number', 'boolean'],
          maxLength: CUSTOM_FIELD_VALUE_MAX,
        }),
        {
          maxProperties: CUSTOM_FIELDS_PER_REQUEST_MAX,
          description: 'Only contacts whose custom fields have exactly these values.',
        },
      ),
    ),
    activeAfter: Type.Optional(
      Type.String({ format: 'date-time', description: 'Last active at this time or later.' }),
    ),
    activeBefore: Type.Optional(
      Type.String({ format: 'date-time', description: 'Last active at this time or earlier.' }),
    ),
  },
  {
    title: 'AudienceFilter',
    description: 'At least one condition is required. Contacts must meet all of them.',
  },
)
export type AudienceFilter = Static<typeof AudienceFilter>
