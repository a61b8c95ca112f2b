import Type from 'typebox'
import { addNote as add } from '../../domain/notes/add-note.ts'
import { defineTool, given, IdGiven, WRITES } from '../tool/tool.ts'
import { wordsOf } from './draft-reply.ts'

const NOTE_LENGTH_MAX = 4_000

export const addNote = defineTool({
  name: 'add_note',
  scopes: ['notes:write'],
  hints: WRITES,
  description: 'Add a note for the team to a conversation. Customers never see it.',
  input: given({
    conversationId: IdGiven,
    text: Type.String({ minLength: 1, maxLength: NOTE_LENGTH_MAX }),
  }),
  output: Type.Object({ noteId: Type.String() }),
  target: { type: 'conversation', of: 'conversationId' },
  run: async (ctx, { conversationId, text }) => {
    const { id } = await add(ctx, { conversationId, body: wordsOf(text) })
    return { text: 'The note was added.', data: { noteId: id } }
  },
})
