import Type from 'typebox'
import { Note } from '../contacts/schema.ts'
import { Text } from '../schema.ts'

const NOTE_BODY_MAX = 4000
const PHONE_MIN = 3
const PHONE_MAX = 32

export const AddNoteBody = Type.Object(
  {
    body: Text(NOTE_BODY_MAX),
    conversationId: Type.Optional(
      Text(64, { description: 'The note is added to this conversation and its contact.' }),
    ),
    phone: Type.Optional(
      Text(PHONE_MAX, {
        minLength: PHONE_MIN,
        description:
          "A WhatsApp number in international format. The note is added to its contact's most recently active WhatsApp conversation.",
      }),
    ),
  },
  {
    title: 'AddNote',
    exactlyOneOf: ['conversationId', 'phone'],
    examples: [{ body: 'Prefers to be called in the morning.', conversationId: 'cmi8q2f5c0000x7h2k9d3m1vb' }],
  },
)

export const Added = Type.Object(
  { note: Note },
  {
    title: 'NoteAdded',
    examples: [
      {
        note: {
          id: 'cmi8q2f5c0005b8w3e6y2u4io',
          body: 'Prefers to be called in the morning.',
          createdAt: '2026-11-21T09:30:00.000Z',
          agent: { id: 'api:cmi8q2f5c0001b4n8s6w0z2yt', nickname: 'API' },
        },
      },
    ],
  },
)
