import Type, { type Static } from 'typebox'
import { PAGE_DEFAULT, PAGE_MAX } from '../../platform/db/pagination.ts'
import { Note } from '../contacts/schema.ts'
import { Id, nullable, Text } from '../schema.ts'

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

const EXAMPLE = {
  id: 'cmi8q2f5c0005b8w3e6y2u4io',
  body: 'Prefers to be called in the morning.',
  createdAt: '2026-11-21T09:30:00.000Z',
  agent: { id: 'api:cmi8q2f5c0001b4n8s6w0z2yt', nickname: 'API' },
  attachments: [],
}

export const Added = Type.Object({ note: Note }, { title: 'NoteAdded', examples: [{ note: EXAMPLE }] })

export const NotesQuery = Type.Object({
  contactId: Text(64, { description: 'The contact that the notes are about.' }),
  cursor: Type.Optional(Type.String({ description: 'The `nextCursor` of the previous page.' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_MAX, default: PAGE_DEFAULT })),
})
export type NotesQuery = Static<typeof NotesQuery>

export const NoteList = Type.Object(
  {
    notes: Type.Array(Note),
    nextCursor: nullable(Type.String({ description: 'null on the last page.' })),
  },
  { title: 'NoteList', examples: [{ notes: [EXAMPLE], nextCursor: null }] },
)
export type NoteList = Static<typeof NoteList>

export const NoteParams = Type.Object({ noteId: Id })

export const NoteChange = Type.Object(
  { body: Text(NOTE_BODY_MAX) },
  { title: 'UpdateNote', examples: [{ body: 'Prefers to be called in the afternoon.' }] },
)

export const NoteUpdated = Type.Object(
  { note: Note },
  {
    title: 'NoteUpdated',
    examples: [{ note: { ...EXAMPLE, body: 'Prefers to be called in the afternoon.' } }],
  },
)

export const NoteRemoved = Type.Object(
  { success: Type.Literal(true) },
  { title: 'NoteRemoved', examples: [{ success: true }] },
)
export type NoteRemoved = Static<typeof NoteRemoved>
