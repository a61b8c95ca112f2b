import type { App } from '../../http/api.ts'
import { errors } from '../../http/error-responses.ts'
import { addNote } from './add-note.ts'
import { Added, AddNoteBody } from './schema.ts'

export const registerNotes = (app: App): void => {
  app.post(
    '/notes',
    {
      config: { budget: 'change' },
      schema: {
        operationId: 'addNote',
        tags: ['Notes'],
        summary: 'Add an internal note',
        description:
          'Leaves a note for the team in a conversation and on its contact. The customer never sees it. Name the conversation by its id, or by the WhatsApp number of its contact; exactly one of the two.',
        body: AddNoteBody,
        response: { 200: Added, ...errors('CONVERSATION_NOT_FOUND', 'CONTACT_NOT_FOUND') },
      },
    },
    async ({ ctx, body }) => ({ note: await addNote(ctx, body) }),
  )
}
