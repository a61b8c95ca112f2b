// Keeps a copy of a workspace: reads the lists once, then follows the feed from before they were read.
import type { EventFeed, FollowedEvent } from './event-feed.ts'
import type { Resources } from './generated/resources.ts'
import type { Pages } from './pages.ts'

type RowOf<List> = List extends Pages<infer Row, infer _Page> ? Row : never
type Row<Name extends 'contacts' | 'conversations' | 'messages'> = RowOf<ReturnType<Resources[Name]['list']>>

/** Each function is awaited before the next call. */
export type SyncOptions = {
  /** The last one that was saved: the lists are then not read again. */
  cursor?: string | null | undefined
  /** Called for every contact there is. Like the next two, the list is only read if you pass it. */
  onContact?: (contact: Row<'contacts'>) => unknown
  /** Called for every conversation, open or closed. */
  onConversation?: (conversation: Row<'conversations'>) => unknown
  /** Called for every message, the newest first. */
  onMessage?: (message: Row<'messages'>) => unknown
  /** Called for what happened since, in order. Some of it may be in what the lists returned. */
  onEvent: (event: FollowedEvent) => unknown
  /** Stores the cursor of what was handled. Called after every page of events, and after every wait without one. */
  save: (cursor: string) => unknown
  /** Ends it. */
  signal?: AbortSignal
}

type Client = Pick<Resources, 'contacts' | 'conversations' | 'messages'> & { events: EventFeed }

const LIMIT = 100

export const sync = async (foyer: Client, options: SyncOptions): Promise<void> => {
  const { cursor, onEvent, save, signal } = options
  let hasRead = Boolean(cursor)
  const place = cursor ? { cursor } : { from: 'sync' as const }
  try {
    for await (const page of foyer.events.pages({ ...place, ...(signal && { signal }) })) {
      // After the position is known: what changes meanwhile is in this page or a later one.
      if (!hasRead) await readLists(foyer, options)
      hasRead = true
      for (const event of page.events) {
        if (signal?.aborted) return
        await onEvent(event)
      }
      await save(page.cursor)
    }
  } catch (error) {
    if (!signal?.aborted || error !== signal.reason) throw error
  }
}

const readLists = async (foyer: Client, options: SyncOptions): Promise<void> => {
  const { onContact, onConversation, onMessage, signal } = options
  const query = { sort: 'created' as const, limit: LIMIT }
  const request = signal ? { signal } : {}
  const handle = async <T>(rows: AsyncIterable<T>, onRow: (row: T) => unknown) => {
    for await (const row of rows) {
      signal?.throwIfAborted()
      await onRow(row)
    }
  }
  if (onContact) await handle(foyer.contacts.list(query, request), onContact)
  if (onConversation)
    await handle(foyer.conversations.list({ ...query, status: 'all' }, request), onConversation)
  if (onMessage) await handle(foyer.messages.list({ direction: 'all', limit: LIMIT }, request), onMessage)
}
