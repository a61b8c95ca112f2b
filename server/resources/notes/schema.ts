import Type, { type Static } from 'typebox'
import { Id, Moment, Text } from '../schema.ts'

export const NOTE_BODY_MAX = 4000
export const PHONE_MIN = 3
export const PHONE_MAX = 32

export const Note = Type.Object(
  {
    id: Id,
    body: Type.String(),
    createdAt: Moment,
    agent: Type.Object(
      {
        id: Type.String({ description: '`api:<token id>` for what the API wrote.' }),
        nickname: Type.String(),
      },
      { title: 'NoteAuthor' },
    ),
  },
  { title: 'Note' },
)
export type Note = Static<typeof Note>

export const AddNoteBody = Type.Object(
  {
    body: Text(NOTE_BODY_MAX),
    conversationId: Type.Optional(
      Text(64, { description: 'The note goes to this conversation and its contact.' }),
    ),
    phone: Type.Optional(
      Text(PHONE_MAX, {
        minLength: PHONE_MIN,
        description:
          "A WhatsApp number in international format: the note goes to its contact's most recently active WhatsApp conversation.",
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
