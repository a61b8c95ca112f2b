import type { Ctx } from '../../platform/ctx/ctx.ts'
import { startOf } from '../../platform/db/horizon.ts'
import { decodeCursor, encodeCursor, PAGE_DEFAULT } from '../../platform/db/pagination.ts'
import { requireContact } from '../contacts/profile-queries.ts'
import { listNoteRows } from './queries.ts'
import type { NoteList, NotesQuery } from './schema.ts'

/**
 * A page of the notes about a contact, the newest first. Throws CONTACT_NOT_FOUND, and VALIDATION_ERROR for a cursor of
 * another list.
 */
export const listNotes = async (
  ctx: Ctx,
  { contactId, cursor, limit = PAGE_DEFAULT }: NotesQuery,
): Promise<NoteList> => {
  const listing = ['listNotes', ctx.workspaceId, contactId]
  const after = cursor === undefined ? null : decodeCursor(listing, cursor)
  await requireContact(ctx, contactId)
  const rows = await listNoteRows(ctx, { contactId, before: await startOf(ctx, after), limit: limit + 1 })
  const notes = rows.slice(0, limit)
  const nextCursor = rows.length > limit ? encodeCursor(listing, { at: null, id: notes.at(-1)!.id }) : null
  return { notes, nextCursor }
}
