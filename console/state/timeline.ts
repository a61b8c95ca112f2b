// A conversation's thread in the cache: newest entry first, as many pages as were loaded.
import type { QueryClient } from '@tanstack/react-query'
import { queryOptions } from '@tanstack/react-query'
import type { WorkspaceApi } from './api.ts'
import { appendPage, mergeHead, type Paged } from './merge-head.ts'
import { keys } from './query-keys.ts'
import type { Message, TimelineEntry } from './types.ts'

export const PAGE_SIZE = 50

export type Timeline = Paged<TimelineEntry>
type Page = { entries: TimelineEntry[]; nextCursor: string | null }

export const entryId = (entry: TimelineEntry): string =>
  entry.kind === 'message' ? entry.message.id : entry.note.id
export const entryMoment = (entry: TimelineEntry): string =>
  entry.kind === 'message' ? entry.message.createdAt : entry.note.createdAt

export const newestFirst = (a: TimelineEntry, b: TimelineEntry): number =>
  entryMoment(a) === entryMoment(b)
    ? entryId(a) < entryId(b)
      ? 1
      : -1
    : entryMoment(a) < entryMoment(b)
      ? 1
      : -1

const RULES = { keyOf: entryId, compare: newestFirst }

/** `around` and `from` are ids: a page with the entry in its middle, or with it and newer ones. */
type Place = { cursor?: string; around?: string; from?: string; limit?: number }

export const fetchPage = async (
  api: WorkspaceApi,
  conversationId: string,
  place: Place = {},
  signal?: AbortSignal,
): Promise<Timeline> => {
  const query = { limit: PAGE_SIZE, ...place }
  const page = await api.get<Page>(`/conversations/${conversationId}/timeline`, query, signal)
  return { rows: page.entries, nextCursor: page.nextCursor }
}

export const timelineQuery = (client: QueryClient, api: WorkspaceApi, conversationId: string) => {
  const queryKey = keys.timeline(api.workspaceId, conversationId)
  return queryOptions({
    queryKey,
    queryFn: async ({ signal }) => {
      const head = await fetchPage(api, conversationId, {}, signal)
      const known = client.getQueryData<Timeline>(queryKey)
      return mergeHead(known, { ...head, rows: head.rows.map((entry) => keepStatus(known, entry)) }, RULES)
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** Loads the page before the oldest entry of the thread, or of the window in it that is shown. */
export const loadEarlier = async (
  client: QueryClient,
  api: WorkspaceApi,
  conversationId: string,
  key: typeof keys.timeline | typeof keys.threadWindow = keys.timeline,
): Promise<void> => {
  const queryKey = key(api.workspaceId, conversationId)
  const cursor = client.getQueryData<Timeline>(queryKey)?.nextCursor
  if (!cursor) return
  const page = await fetchPage(api, conversationId, { cursor })
  client.setQueryData<Timeline>(queryKey, (known) =>
    known && known.nextCursor === cursor ? appendPage(known, page, RULES) : known,
  )
}

/** Inserts or updates a message that the server returned. */
export const putMessage = (client: QueryClient, w: string, message: Message): void => {
  client.setQueryData<Timeline>(keys.timeline(w, message.conversationId), (known) => {
    if (!known) return known
    const rest = known.rows.filter((entry) => entryId(entry) !== message.id)
    return { ...known, rows: [keepStatus(known, { kind: 'message', message }), ...rest].sort(newestFirst) }
  })
  client.setQueryData<Timeline | null>(
    keys.threadWindow(w, message.conversationId),
    (known) =>
      known && {
        ...known,
        rows: known.rows.map((entry) =>
          entryId(entry) === message.id ? keepStatus(known, { kind: 'message', message }) : entry,
        ),
      },
  )
}

const RANK: Record<string, number> = { queued: 0, sent: 1, delivered: 2, read: 3 }

/** A response may have been made before an event that arrived earlier. A failed message may start again. */
export const keepStatus = (known: Timeline | undefined, entry: TimelineEntry): TimelineEntry => {
  if (entry.kind !== 'message') return entry
  const before = known?.rows.find((row) => entryId(row) === entry.message.id)
  if (before?.kind !== 'message') return entry
  const { status } = before.message
  if ((RANK[status] ?? -1) <= (RANK[entry.message.status] ?? Number.POSITIVE_INFINITY)) return entry
  return { ...entry, message: { ...entry.message, status } }
}

/**
 * A delivery status only moves forward, whatever order events arrive in. False if the message isn't among those that are
 * loaded: it may be in a response on its way, which may have been made before.
 */
export const patchMessageStatus = (
  client: QueryClient,
  w: string,
  conversationId: string,
  messageId: string,
  status: string,
): boolean => {
  let isLoaded = false
  for (const key of [keys.timeline, keys.threadWindow])
    client.setQueryData<Timeline | null>(key(w, conversationId), (known) => {
      if (!known?.rows.some((entry) => entryId(entry) === messageId)) return known
      isLoaded = true
      return { ...known, rows: known.rows.map((entry) => withStatus(entry, messageId, status)) }
    })
  return isLoaded
}

const withStatus = (entry: TimelineEntry, messageId: string, status: string): TimelineEntry => {
  if (entry.kind !== 'message' || entry.message.id !== messageId) return entry
  const { message } = entry
  if (message.status !== 'failed' && (RANK[status] ?? 0) <= (RANK[message.status] ?? 0)) return entry
  const { error: _, ...metadata } = (message.metadata ?? {}) as Record<string, unknown>
  return { ...entry, message: { ...message, status: status as Message['status'], metadata } }
}

/** Refetches one loaded entry beyond the first page after an edit, a reaction or a failure. */
export const refreshDeepEntry = async (
  client: QueryClient,
  api: WorkspaceApi,
  conversationId: string,
  messageId: string,
): Promise<void> => {
  const queryKey = keys.timeline(api.workspaceId, conversationId)
  const known = client.getQueryData<Timeline>(queryKey)
  const index = known?.rows.findIndex((entry) => entryId(entry) === messageId) ?? -1
  if (index < PAGE_SIZE) return
  const answer = await api.get<{ message: Message }>(`/messages/${messageId}`).catch(() => null)
  if (answer) putMessage(client, api.workspaceId, answer.message)
}
