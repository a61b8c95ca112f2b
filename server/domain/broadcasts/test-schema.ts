// Shapes of what is tried before a broadcast exists: its message, sent to a few people, and the file of its header.
import Type, { type Static } from 'typebox'
import { ID_MAX } from '../contacts/audience-schema.ts'
import { Name, nullable } from '../schema.ts'
import { TO_MAX } from '../templates/schema.ts'
import { Fields, Message, NAME_MAX } from './schema.ts'

export const HeaderCheck = Type.Object({
  headerAttachmentId: Type.String({ maxLength: ID_MAX }),
  type: Type.Enum(['image', 'video', 'document'], { description: 'Of the template’s header.' }),
})
export const HeaderFits = Type.Object({ success: Type.Literal(true) })

/** Contacts and phones together. */
export const TEST_RECIPIENTS_MAX = 5

export const TestBroadcastBody = Type.Object(
  {
    ...Message,
    fields: Fields,
    name: Type.Optional(Name(NAME_MAX, { description: 'Of the broadcast that it is a test of.' })),
    contactIds: Type.Optional(
      Type.Array(Type.String({ maxLength: ID_MAX }), { maxItems: TEST_RECIPIENTS_MAX, uniqueItems: true }),
    ),
    phones: Type.Optional(
      Type.Array(Type.String({ trim: true, minLength: 1, maxLength: TO_MAX }), {
        maxItems: TEST_RECIPIENTS_MAX,
      }),
    ),
  },
  { title: 'TestBroadcast' },
)
export type TestBroadcastBody = Static<typeof TestBroadcastBody>

const BroadcastTest = Type.Object({
  contactId: Type.String(),
  name: Type.String(),
  phone: nullable(Type.String()),
  conversationId: nullable(Type.String()),
  messageId: nullable(Type.String()),
  status: nullable(Type.String({ description: 'The status of the message.' })),
  error: nullable(Type.Object({ code: Type.String(), message: Type.String() })),
  reason: nullable(Type.String({ description: 'Why the person is skipped.' })),
})
export type BroadcastTest = Static<typeof BroadcastTest>

export const BroadcastTests = Type.Object({ tests: Type.Array(BroadcastTest) }, { title: 'BroadcastTests' })
export type BroadcastTests = Static<typeof BroadcastTests>
