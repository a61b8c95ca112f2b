// Conversation lists in the cache, and the changes that the console makes to conversations.
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { WorkspaceApi } from './api.ts'
import { appendPage, mergeHead, type Paged } from './merge-head.ts'
import { keys } from './query-keys.ts'
import type { ConversationCounts, ConversationDetails, ConversationRow } from './types.ts'

const PAGE_SIZE = 50

export type View = 'mine' | 'unassigned' | 'open' | 'closed' | 'all'
export const VIEWS: View[] = ['mine', 'unassigned', 'open', 'closed', 'all']

/** `order`: only those that wait for a reply, longest first. */
export type ListFilter = { view: View; channel?: string; q?: string; unread?: boolean; order?: 'waiting' }

/** `isTouched`: something has happened to it since it was fetched. */
type Row = ConversationRow & { isTouched?: boolean }
export type ConversationPages = Paged<Row>
type Page = { conversations: ConversationRow[]; nextCursor: string | null }

const RULES = {
  keyOf: (row: Row) => row.id,
  compare: (a: Row, b: Row) =>
    a.updatedAt === b.updatedAt ? (a.id < b.id ? 1 : -1) : a.updatedAt < b.updatedAt ? 1 : -1,
  isTouched: (row: Row) => row.isTouched === true,
}

export const statusOf = (view: View) => (view === 'mine' ? { mine: true, status: 'open' } : { status: view })

/** Without `q`, which state/found.ts searches for. */
const queryOf = ({ view, channel, unread, order }: ListFilter) => ({
  ...statusOf(view),
  channel,
  unread: unread || undefined,
  sort: order,
  limit: PAGE_SIZE,
})

export const conversationsQuery = (client: QueryClient, api: WorkspaceApi, filter: ListFilter) => {
  const queryKey = keys.conversationList(api.workspaceId, filter)
  return queryOptions({
    queryKey,
    queryFn: async ({ signal }) => {
      const page = await api.get<Page>('/conversations', queryOf(filter), signal)
      const head = { rows: page.conversations, nextCursor: page.nextCursor }
      // It has an order of its own, so its pages can't be merged.
      if (filter.order) return head
      return mergeHead(client.getQueryData<ConversationPages>(queryKey), head, RULES)
    },
    staleTime: 30_000,
  })
}

export const loadMoreConversations = async (
  client: QueryClient,
  api: WorkspaceApi,
  filter: ListFilter,
): Promise<void> => {
  const queryKey = keys.conversationList(api.workspaceId, filter)
  const cursor = client.getQueryData<ConversationPages>(queryKey)?.nextCursor
  if (!cursor) return
  const page = await api.get<Page>('/conversations', { ...queryOf(filter), cursor })
  client.setQueryData<ConversationPages>(queryKey, (known) =>
    known && known.nextCursor === cursor
      ? appendPage(known, { rows: page.conversations, nextCursor: page.nextCursor }, RULES)
      : known,
  )
}

export const countsQuery = (api: WorkspaceApi) =>
  queryOptions({
    queryKey: keys.counts(api.workspaceId),
    queryFn: ({ signal }) => api.get<ConversationCounts>('/conversation-counts', {}, signal),
    staleTime: 30_000,
  })

export const detailsQuery = (api: WorkspaceApi, conversationId: string) =>
  queryOptions({
    queryKey: keys.details(api.workspaceId, conversationId),
    queryFn: ({ signal }) =>
      api.get<ConversationDetails>(`/conversations/${conversationId}/details`, {}, signal),
    staleTime: 30_000,
  })

/** Marks a conversation as changed: the next fetch of each list moves or removes it. */
export const touchConversation = (client: QueryClient, w: string, conversationId: string): void => {
  client.setQueriesData<ConversationPages>({ queryKey: keys.conversationLists(w) }, (known) =>
    known?.rows.some(({ id, isTouched }) => id === conversationId && !isTouched)
      ? {
          ...known,
          rows: known.rows.map((row) => (row.id === conversationId ? { ...row, isTouched: true } : row)),
        }
      : known,
  )
}

/** Shows a change before the server has confirmed it, in every list and in the thread's header. */
export const patchConversation = (
  client: QueryClient,
  w: string,
  conversationId: string,
  change: Partial<ConversationRow>,
): void => {
  for (const queryKey of [keys.conversationLists(w), keys.foundLists(w)])
    client.setQueriesData<ConversationPages>({ queryKey }, (known) =>
      known?.rows.some(({ id }) => id === conversationId)
        ? {
            ...known,
            rows: known.rows.map((row) => (row.id === conversationId ? { ...row, ...change } : row)),
          }
        : known,
    )
  client.setQueryData<ConversationDetails>(
    keys.details(w, conversationId),
    (known) =>
      known && {
        ...known,
        conversation: { ...known.conversation, ...change, contact: known.conversation.contact },
      },
  )
}

/** Refetches a conversation wherever it is shown, after a change. */
export const refreshConversation = (client: QueryClient, w: string, conversationId: string): void => {
  touchConversation(client, w, conversationId)
  void client.invalidateQueries({ queryKey: keys.details(w, conversationId) })
  void client.invalidateQueries({ queryKey: keys.conversationLists(w) })
  void client.invalidateQueries({ queryKey: keys.counts(w) })
}
