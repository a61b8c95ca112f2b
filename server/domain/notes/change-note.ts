import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError } from '../../platform/errors.ts'
import { record } from '../../platform/events/record.ts'
import type { Note } from '../contacts/schema.ts'
import { deleteNoteRow, lockNote, updateNoteRow } from './queries.ts'
import type { NoteRemoved } from './schema.ts'

const WRITTEN_BY_THE_API = /^api:/

/**
 * Changes the text of a note that was written through the API, with whichever token: what people wrote under their names
 * stays as they wrote it. Throws NOTE_NOT_FOUND, and FORBIDDEN for other authors' notes.
 */
export const updateNote = (ctx: Ctx, noteId: string, { body }: { body: string }): Promise<{ note: Note }> =>
  inTransaction(ctx, async (ctx) => {
    await announce(ctx, noteId, 'note.updated')
    return { note: await updateNoteRow(ctx, noteId, body) }
  })

/** Deletes a note for good, with the same rule and errors. */
export const deleteNote = (ctx: Ctx, noteId: string): Promise<NoteRemoved> =>
  inTransaction(ctx, async (ctx) => {
    await announce(ctx, noteId, 'note.deleted')
    await deleteNoteRow(ctx, noteId)
    return { success: true }
  })

const announce = async (ctx: Ctx, noteId: string, type: 'note.updated' | 'note.deleted'): Promise<void> => {
  const note = await lockNote(ctx, noteId)
  if (!note) throw new ApiError('NOTE_NOT_FOUND')
  if (!WRITTEN_BY_THE_API.test(note.authorId))
    throw new ApiError('FORBIDDEN', {
      message: 'Only notes that were written through the API can be changed or deleted through it.',
    })
  const { contactId, conversationId } = note
  await record(ctx, { type, contactId, ...(conversationId && { conversationId }), data: { noteId } })
}
