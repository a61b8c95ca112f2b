// Notes in the console: whom they can mention, and changing one's own.
import { ConversationParams } from '../domain/conversations/schema.ts'
import { conversationExists } from '../domain/conversations/thread-queries.ts'
import { deleteNote, updateNote } from '../domain/notes/change-note.ts'
import { listMentionable } from '../domain/notes/mention-queries.ts'
import { InboxNoteChange, MentionableList } from '../domain/notes/mention-schema.ts'
import { NoteParams, NoteRemoved, NoteUpdated } from '../domain/notes/schema.ts'
import { ApiError } from '../platform/errors.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

export const registerNotesConsoleRoutes = (app: App): void => {
  app.get(
    '/conversations/:conversationId/mentionable',
    {
      schema: {
        operationId: 'consoleListMentionable',
        params: ConversationParams,
        response: { 200: MentionableList, ...errors('CONVERSATION_NOT_FOUND') },
      },
    },
    async ({ ctx, params: { conversationId } }) => {
      if (!(await conversationExists(ctx, conversationId))) throw new ApiError('CONVERSATION_NOT_FOUND')
      return { people: await listMentionable(ctx, conversationId) }
    },
  )

  app.patch(
    '/notes/:noteId',
    {
      schema: {
        operationId: 'consoleUpdateNote',
        params: NoteParams,
        body: InboxNoteChange,
        response: { 200: NoteUpdated, ...errors('NOTE_NOT_FOUND') },
      },
    },
    ({ ctx, params, body }) => updateNote(ctx, params.noteId, body),
  )

  app.delete(
    '/notes/:noteId',
    {
      schema: {
        operationId: 'consoleDeleteNote',
        params: NoteParams,
        response: { 200: NoteRemoved, ...errors('NOTE_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => deleteNote(ctx, params.noteId),
  )
}
