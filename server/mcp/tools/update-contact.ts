import Type from 'typebox'
import { changeContactTags } from '../../domain/contacts/change-contact-tags.ts'
import { getContactProfile } from '../../domain/contacts/profile-queries.ts'
import {
  CONTACT_NAME_MAX,
  CUSTOM_FIELD_KEY_MAX,
  CUSTOM_FIELD_VALUE_MAX,
  CUSTOM_FIELDS_PER_REQUEST_MAX,
} from '../../domain/contacts/schema.ts'
import { updateContact as update } from '../../domain/contacts/update-contact.ts'
import { listTags } from '../../domain/tags/queries.ts'
import { CUSTOMER_TEXT_IS } from '../tool/customer-text.ts'
import { findNamed } from '../tool/find-named.ts'
import { Refused } from '../tool/refused.ts'
import { defineTool, given, IdGiven, NAME_LENGTH_MAX, WRITES } from '../tool/tool.ts'
import { wordsOf } from './draft-reply.ts'
import { showContact } from './read-contact.ts'

const TAGS_MAX = 20

const Tags = Type.Optional(
  Type.Array(Type.String({ maxLength: NAME_LENGTH_MAX }), {
    maxItems: TAGS_MAX,
    description: 'Names or ids',
  }),
)

export const updateContact = defineTool({
  name: 'update_contact',
  scopes: ['contacts:write'],
  hints: { ...WRITES, idempotentHint: true },
  description: 'Rename a contact, set custom fields (null removes one), add and remove tags.',
  input: given({
    contactId: IdGiven,
    name: Type.Optional(Type.String({ minLength: 1, maxLength: CONTACT_NAME_MAX })),
    fields: Type.Optional(
      Type.Unsafe<Record<string, string | number | boolean | null>>({
        type: 'object',
        maxProperties: CUSTOM_FIELDS_PER_REQUEST_MAX,
        propertyNames: { minLength: 1, maxLength: CUSTOM_FIELD_KEY_MAX },
        additionalProperties: {
          type: ['string', 'number', 'boolean', 'null'],
          maxLength: CUSTOM_FIELD_VALUE_MAX,
        },
      }),
    ),
    addTags: Tags,
    removeTags: Tags,
  }),
  output: Type.Object({
    contact: Type.Object({}, { additionalProperties: true }),
    customerTextIs: Type.String(),
  }),
  target: { type: 'contact', of: 'contactId' },
  run: async (ctx, { contactId, name, fields, addTags = [], removeTags = [] }) => {
    const hasTags = addTags.length + removeTags.length > 0
    if (name === undefined && fields === undefined && !hasTags)
      throw new Refused('Give a name, fields or tags to change.')
    if (name !== undefined || fields !== undefined)
      await update(ctx, contactId, {
        ...(name !== undefined && { name: wordsOf(name) }),
        ...(fields !== undefined && { customFields: fields }),
      })
    if (hasTags) {
      const tags = await listTags(ctx)
      const idOf = (wanted: string) => findNamed('tag', wanted, tags).id
      await changeContactTags(ctx, contactId, { add: addTags.map(idOf), remove: removeTags.map(idOf) })
    }
    return {
      text: 'The contact was changed.',
      data: {
        contact: showContact(await getContactProfile(ctx, contactId)),
        customerTextIs: CUSTOMER_TEXT_IS,
      },
    }
  },
})
