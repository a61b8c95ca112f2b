import Type, { type Static } from 'typebox'

/** Contacts read for each reason that there is to read one: the latest activity, or being new. */
export const SAMPLED_MAX = 250
/** Values read in all; contacts may have 200 each. */
export const VALUES_READ_MAX = 3_000
export const FIELDS_LISTED_MAX = 1_000

const ContactField = Type.Object(
  {
    key: Type.String(),
    types: Type.Array(Type.Enum(['boolean', 'number', 'string'])),
    count: Type.Integer({ description: 'How many of the contacts looked at have the field.' }),
    example: Type.Unsafe<string | number | boolean>({
      type: ['string', 'number', 'boolean'],
      description: 'The value of the newest contact that has the field.',
    }),
  },
  { title: 'ContactField' },
)
export type ContactField = Static<typeof ContactField>

export const ContactFieldList = Type.Object(
  { fields: Type.Array(ContactField) },
  {
    title: 'ContactFieldList',
    examples: [
      {
        fields: [
          { key: 'plan', types: ['string'], count: 204, example: 'pro' },
          { key: 'seats', types: ['number', 'string'], count: 81, example: 12 },
        ],
      },
    ],
  },
)
