// Follows the events table live. Events come in the order (tx, id), none before every transaction that began earlier
// has ended, so that whoever resumes from a cursor misses nothing.

/** `cursor` is opaque to readers: where to resume. */
export type LiveEvent = {
  cursor: string
  workspaceId: string
  type: string
  conversationId: string | null
  contactId: string | null
  data: Record<string, unknown>
  createdAt: string
}

export type Stream = {
  /** Calls the listener for every event from now on; the returned function ends that. */
  subscribe(listener: (event: LiveEvent) => void): () => void
  /** The events of a conversation after a cursor, or null when it is unknown, too old, or too much was missed. */
  replay(workspaceId: string, conversationId: string, cursor: string): Promise<LiveEvent[] | null>
  /** Events were committed by this process: look now rather than at the next tick. */
  wake(): void
  close(): Promise<void>
}

/** A stream that nobody follows, for work outside a running server (the command line). */
export const silentStream: Stream = {
  subscribe: () => () => {},
  replay: async () => [],
  wake: () => {},
  close: async () => {},
}
