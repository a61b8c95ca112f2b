// Finding contacts by the ids that other systems know them by.
import Type, { type Static } from 'typebox'
import { Email, Name, Text } from '../schema.ts'
import {
  CONTACT_NAME_MAX,
  Contact,
  CustomFieldsChange,
  EXTERNAL_ID_MAX,
  exampleContact,
  PhoneInAnyNotation,
  TAG_IDS_MAX,
} from './schema.ts'

const ExternalId = Text(EXTERNAL_ID_MAX, { description: 'The id that your system has for the contact.' })

/** What identifies one contact. */
const KEYS = {
  externalId: Type.Optional(ExternalId),
  email: Type.Optional(Email({ description: 'Case-insensitive.' })),
  phone: Type.Optional(PhoneInAnyNotation('The phone number')),
}

export const LookupQuery = Type.Object(KEYS, { exactlyOneOf: Object.keys(KEYS) })
export type LookupQuery = Static<typeof LookupQuery>

export const ContactAnswer = Type.Object(
  { contact: Contact },
  { title: 'ContactAnswer', examples: [{ contact: exampleContact }] },
)

export const UpsertContactBody = Type.Object(
  {
    match: Type.Object(KEYS, {
      title: 'ContactKeys',
      description: 'What you know about the contact. All keys have to point to the same one, or to none.',
      atLeastOneOf: Object.keys(KEYS),
    }),
    set: Type.Optional(
      Type.Object(
        {
          name: Type.Optional(Name(CONTACT_NAME_MAX, { description: 'The new display name.' })),
          externalId: Type.Optional(ExternalId),
          customFields: Type.Optional(CustomFieldsChange),
          addTagIds: Type.Optional(
            Type.Array(Type.String(), { maxItems: TAG_IDS_MAX, description: 'Tags to add to those it has.' }),
          ),
        },
        { title: 'ContactUpsertChange' },
      ),
    ),
    create: Type.Optional(
      Type.Boolean({ description: 'false: return CONTACT_NOT_FOUND instead of creating a contact.' }),
    ),
  },
  {
    title: 'UpsertContact',
    examples: [
      {
        match: { externalId: 'crm-4711', email: 'ines@example.org' },
        set: { name: 'Ines Rossi', customFields: { plan: 'pro' } },
      },
    ],
  },
)
export type UpsertContactBody = Static<typeof UpsertContactBody>

export const ContactUpserted = Type.Object(
  {
    contact: Contact,
    created: Type.Boolean(),
    matchedBy: Type.Array(Type.Enum(['externalId', 'email', 'phone']), {
      description: 'The keys that found the contact. Empty if it was created.',
    }),
  },
  {
    title: 'ContactUpserted',
    examples: [{ contact: exampleContact, created: false, matchedBy: ['email'] }],
  },
)
export type ContactUpserted = Static<typeof ContactUpserted>
