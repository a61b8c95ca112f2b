import { addNote } from '../domain/notes/add-note.ts'
import { deleteNote, updateNote } from '../domain/notes/change-note.ts'
import { listNotes } from '../domain/notes/list-notes.ts'
import { InboxNoteBody } from '../domain/notes/mention-schema.ts'
import {
  Added,
  AddNoteBody,
  NoteChange,
  NoteList,
  NoteParams,
  NoteRemoved,
  NotesQuery,
  NoteUpdated,
} from '../domain/notes/schema.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

export const registerNotes = (app: App): void => registerAddNote(app, AddNoteBody)
/** People can also mention teammates. */
export const registerInboxNotes = (app: App): void => registerAddNote(app, InboxNoteBody)

const registerAddNote = (app: App, NoteShape: typeof AddNoteBody | typeof InboxNoteBody): void => {
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
        body: NoteShape,
        response: { 200: Added, ...errors('CONVERSATION_NOT_FOUND', 'CONTACT_NOT_FOUND') },
      },
    },
    async ({ ctx, body }) => ({ note: await addNote(ctx, body) }),
  )
}

/** Only for programs: in the console, the thread and the profile show notes. */
export const registerNoteChanges = (app: App): void => {
  app.get(
    '/notes',
    {
      config: { scope: 'contacts:read' },
      schema: {
        operationId: 'listNotes',
        tags: ['Notes'],
        summary: "List a contact's notes",
        description:
          'All internal notes about a contact, the newest first. To poll, read from the newest until you reach an id you already know.',
        querystring: NotesQuery,
        response: { 200: NoteList, ...errors('CONTACT_NOT_FOUND') },
      },
    },
    ({ ctx, query }) => listNotes(ctx, query),
  )

  app.patch(
    '/notes/:noteId',
    {
      config: { scope: 'notes:write', budget: 'change' },
      schema: {
        operationId: 'updateNote',
        tags: ['Notes'],
        summary: 'Update a note',
        description:
          'Replaces the text of a note that was written through the API, with any token of the workspace. Notes that people or automations wrote can only be read. Author, time and position in the thread stay.',
        params: NoteParams,
        body: NoteChange,
        response: { 200: NoteUpdated, ...errors('NOTE_NOT_FOUND', 'FORBIDDEN') },
      },
    },
    ({ ctx, params, body }) => updateNote(ctx, params.noteId, body),
  )

  app.delete(
    '/notes/:noteId',
    {
      config: { scope: 'notes:write', budget: 'change' },
      schema: {
        operationId: 'deleteNote',
        tags: ['Notes'],
        summary: 'Delete a note',
        description:
          'Deletes a note that was written through the API, with any token of the workspace. Notes that people or automations wrote can only be read.',
        params: NoteParams,
        response: { 200: NoteRemoved, ...errors('NOTE_NOT_FOUND', 'FORBIDDEN') },
      },
    },
    ({ ctx, params }) => deleteNote(ctx, params.noteId),
  )
}
