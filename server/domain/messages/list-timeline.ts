import type { Ctx } from '../../platform/ctx/ctx.ts'
import { decodeCursor, encodeCursor, type Listing } from '../../platform/db/pagination.ts'
import { ApiError, invalid } from '../../platform/errors.ts'
import { ID_CEILING } from '../conversations/conversation-rows.ts'
import { listThreadNotes } from '../conversations/inbox-queries.ts'
import type { Timeline } from '../conversations/inbox-schema.ts'
import {
  conversationExists,
  listThreadMessages,
  type ThreadPart,
  toInboxMessage,
} from '../conversations/thread-queries.ts'

type Place = {
  /** After the page with this cursor, towards older entries. */
  cursor?: string
  /** With the entries before and after this one, half of the page each. */
  around?: string
  /** This entry and newer ones. */
  from?: string
}

/** The id at which a page is split, how many older entries it has, and how many from the id on. */
const splitOf = (listing: Listing, { cursor, around, from }: Place, limit: number) => {
  if (around !== undefined) return { at: around, older: Math.floor(limit / 2), newer: Math.ceil(limit / 2) }
  if (from !== undefined) return { at: from, older: 0, newer: limit }
  return { at: cursor === undefined ? ID_CEILING : decodeCursor(listing, cursor).id, older: limit, newer: 0 }
}

/**
 * A page of a conversation's timeline, newest first: messages, system entries, and what the team did. Ids of all kinds
 * sort by time, so `around` and `from` may be an entry that no longer exists. Throws CONVERSATION_NOT_FOUND, and
 * VALIDATION_ERROR for a cursor of another list or more than one place.
 */
export const listTimeline = async (
  ctx: Ctx,
  { conversationId, limit, cursor, around, from }: Place & { conversationId: string; limit: number },
): Promise<Timeline> => {
  const place = { cursor, around, from }
  const places = Object.entries(place).filter(([, value]) => value !== undefined)
  if (places.length > 1)
    throw invalid({ field: places[1]![0], message: `can't be combined with ${places[0]![0]}` })
  const listing: Listing = ['listTimeline', ctx.workspaceId, conversationId]
  const { at, older, newer } = splitOf(listing, place, limit)
  const parts: ThreadPart[] = [{ before: at, limit: older + 1 }]
  if (newer > 0) parts.push({ from: at, limit: newer })
  const [isThere, messages, notes] = await Promise.all([
    conversationExists(ctx, conversationId),
    listThreadMessages(ctx, conversationId, parts),
    listThreadNotes(ctx, conversationId, parts),
  ])
  if (!isThere) throw new ApiError('CONVERSATION_NOT_FOUND')
  const all = [
    ...messages.map((row) => ({
      id: row.id,
      entry: { kind: 'message' as const, message: toInboxMessage(ctx, row) },
    })),
    ...notes.map((note) => ({ id: note.id, entry: { kind: 'note' as const, note } })),
  ].sort((a, b) => (a.id < b.id ? 1 : -1))
  const after = all.filter(({ id }) => id >= at).slice(-newer || all.length)
  const before = all.filter(({ id }) => id < at)
  const shown = [...after, ...before.slice(0, older)]
  const last = shown.at(-1)
  return {
    entries: shown.map(({ entry }) => entry),
    nextCursor: before.length > older && last ? encodeCursor(listing, { at: null, id: last.id }) : null,
  }
}
