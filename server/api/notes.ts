import { addNote } from '../domain/notes/add-note.ts'
import { Added, AddNoteBody } from '../domain/notes/schema.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

export const registerNotes = (app: App): void => {
  app.post(
    '/notes',
    {
      config: { scope: 'notes:write', budget: 'change' },
      schema: {
        operationId: 'addNote',
        tags: ['Notes'],
        summary: 'Add an internal note',
        description:
          'Adds an internal note to a conversation and its contact. The customer never sees it. Specify the conversation either by its id or by the WhatsApp number of its contact, not both.',
        body: AddNoteBody,
        response: { 200: Added, ...errors('CONVERSATION_NOT_FOUND', 'CONTACT_NOT_FOUND') },
      },
    },
    async ({ ctx, body }) => ({ note: await addNote(ctx, body) }),
  )
}
