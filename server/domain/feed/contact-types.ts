import Type from 'typebox'
import { ChannelEnum, Id } from '../schema.ts'
import { ContactFact, type PublicType } from './public-type.ts'
import { EXAMPLE } from './schema.ts'

const { contactId, tagId } = EXAMPLE

export const CONTACT_TYPES = {
  'contact.created': {
    description: 'A contact was created.',
    object: 'contact',
    data: Type.Object({
      ...ContactFact,
      identityKinds: Type.Array(Type.String(), {
        description: 'What identifies them, such as `email`, `phone` or `whatsapp_id`.',
      }),
    }),
    example: { contactId, identityKinds: ['email'] },
  },
  'contact.updated': {
    description: 'Something about a contact changed.',
    object: 'contact',
    data: Type.Object({
      ...ContactFact,
      changed: Type.Array(Type.String(), {
        description:
          '`name`, `email`, `phone`, `username`, `avatar`, `identities`, `tags`, or `customFields.` and the name of a field.',
      }),
      tagIdsAdded: Type.Array(Id),
      tagIdsRemoved: Type.Array(Id),
    }),
    example: { contactId, changed: ['tags'], tagIdsAdded: [tagId], tagIdsRemoved: [] },
  },
  'contact.merged': {
    description: 'Two contacts were found to be one person. The second no longer exists.',
    object: 'contact',
    data: Type.Object({ ...ContactFact, mergedContactId: Id }),
    example: { contactId, mergedContactId: 'cmi8q2f5c0007n2m7d2f8h4kt' },
  },
  'contact.deleted': {
    description:
      'A contact was erased or anonymised, with everything they wrote. Remove what you keep about them. An anonymised contact still exists, without anything that says who they were.',
    object: null,
    data: Type.Object({ ...ContactFact, mode: Type.Enum(['erased', 'anonymised']) }),
    example: { contactId, mode: 'erased' },
  },
  'contact.opted_out': {
    description: 'A contact no longer wants broadcasts.',
    object: 'contact',
    data: Type.Object({ ...ContactFact, channel: ChannelEnum }),
    example: { contactId, channel: 'whatsapp' },
  },
  'contact.opted_in': {
    description: 'A contact wants broadcasts again.',
    object: 'contact',
    data: Type.Object({ ...ContactFact, channel: ChannelEnum }),
    example: { contactId, channel: 'whatsapp' },
  },
} as const satisfies Record<string, PublicType>
