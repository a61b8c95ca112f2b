import type { Ctx } from '../../platform/ctx/ctx.ts'
import { decodeCursor, encodeCursor, type Listing } from '../../platform/db/pagination.ts'
import { ApiError } from '../../platform/errors.ts'
import { ID_CEILING } from '../conversations/conversation-rows.ts'
import { listThreadNotes } from '../conversations/inbox-queries.ts'
import type { Timeline } from '../conversations/inbox-schema.ts'
import { conversationExists, listMessagesBefore, toInboxMessage } from '../conversations/thread-queries.ts'

/**
 * A page of a conversation's timeline, newest first: messages, system entries, and what the team did. Ids of all kinds
 * sort by time. Throws CONVERSATION_NOT_FOUND, and VALIDATION_ERROR for a cursor of another list.
 */
export const listTimeline = async (
  ctx: Ctx,
  { conversationId, cursor, limit }: { conversationId: string; cursor?: string; limit: number },
): Promise<Timeline> => {
  const listing: Listing = ['listTimeline', ctx.workspaceId, conversationId]
  const before = cursor === undefined ? ID_CEILING : decodeCursor(listing, cursor).id
  const page = { conversationId, before, limit: limit + 1 }
  const [isThere, messages, notes] = await Promise.all([
    conversationExists(ctx, conversationId),
    listMessagesBefore(ctx, page),
    listThreadNotes(ctx, page),
  ])
  if (!isThere) throw new ApiError('CONVERSATION_NOT_FOUND')
  const all = [
    ...messages.map((row) => ({
      id: row.id,
      entry: { kind: 'message' as const, message: toInboxMessage(ctx, row) },
    })),
    ...notes.map((note) => ({ id: note.id, entry: { kind: 'note' as const, note } })),
  ].sort((a, b) => (a.id < b.id ? 1 : -1))
  const shown = all.slice(0, limit)
  const last = shown.at(-1)
  return {
    entries: shown.map(({ entry }) => entry),
    nextCursor: all.length > limit && last ? encodeCursor(listing, { at: null, id: last.id }) : null,
  }
}
