import type { Actor } from '../../platform/ctx/actor.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError } from '../../platform/errors.ts'
import { record } from '../../platform/events/record.ts'
import type { Note } from '../contacts/schema.ts'
import { deleteNoteRow, type LockedNote, lockNote, updateNoteRow } from './queries.ts'
import { saveMentions } from './save-mentions.ts'
import type { NoteRemoved } from './schema.ts'

const WRITTEN_BY_THE_API = /^api:/

/**
 * Changes the text of a note. Through the API, notes that were written through it, with whichever token: what people
 * wrote under their names stays as they wrote it. People change their own. Throws NOTE_NOT_FOUND, FORBIDDEN for other
 * authors' notes, and VALIDATION_ERROR as in saveMentions.
 */
export const updateNote = (
  ctx: Ctx,
  noteId: string,
  { body, mentionedIds = [] }: { body: string; mentionedIds?: readonly string[] },
): Promise<{ note: Note }> =>
  inTransaction(ctx, async (ctx) => {
    const { conversationId } = await announce(ctx, noteId, 'note.updated')
    await saveMentions(ctx, { noteId, conversationId, body, mentionedIds, isNew: false })
    return { note: await updateNoteRow(ctx, noteId, body) }
  })

/** Deletes a note for good, with the same rule and errors. */
export const deleteNote = (ctx: Ctx, noteId: string): Promise<NoteRemoved> =>
  inTransaction(ctx, async (ctx) => {
    await announce(ctx, noteId, 'note.deleted')
    await deleteNoteRow(ctx, noteId)
    return { success: true }
  })

const announce = async (
  ctx: Ctx,
  noteId: string,
  type: 'note.updated' | 'note.deleted',
): Promise<LockedNote> => {
  const note = await lockNote(ctx, noteId)
  if (!note) throw new ApiError('NOTE_NOT_FOUND')
  refuseOthers(ctx.actor, note)
  const { contactId, conversationId } = note
  await record(ctx, { type, contactId, ...(conversationId && { conversationId }), data: { noteId } })
  return note
}

const refuseOthers = (actor: Actor, { authorId }: LockedNote): void => {
  if (actor.type === 'agent') {
    if (authorId !== actor.accountId)
      throw new ApiError('FORBIDDEN', { message: 'Only its author can change or delete a note.' })
  } else if (!WRITTEN_BY_THE_API.test(authorId))
    throw new ApiError('FORBIDDEN', {
      message: 'Only notes that were written through the API can be changed or deleted through it.',
    })
}
