// What the search in the inbox found, in the cache: pages one after the other, in the server's order.
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { WorkspaceApi } from './api.ts'
import { type ListFilter, patchConversation, queryOf } from './conversations.ts'
import { appendPage, type Paged } from './merge-head.ts'
import { keys } from './query-keys.ts'
import type {
  ConversationDetails,
  ConversationRow,
  Found,
  FoundConversations,
  FoundElsewhere,
} from './types.ts'

const PAGE_SIZE = 30
/** Searching for the same again after this long asks the server again. */
const FRESH_MS = 10_000

export type FoundRow = ConversationRow & Pick<Found, 'match'>
export type FoundPages = Paged<FoundRow> & {
  /** Messages before this time have not been searched. */
  searchedBackTo: string | null
}

const keyOf = ({ id }: FoundRow): string => id

const toPages = ({ results, nextCursor, searchedBackTo }: FoundConversations): FoundPages => ({
  rows: results.map(({ conversation, match }) => ({ ...conversation, match })),
  nextCursor,
  searchedBackTo,
})

const fetchPage = (api: WorkspaceApi, filter: ListFilter, cursor?: string, signal?: AbortSignal) => {
  const { view, q } = filter
  const query = {
    ...queryOf(filter),
    // Whoever searches the open ones looks for those that are snoozed, too.
    snoozed: view === 'snoozed' || undefined,
    sort: undefined,
    q,
    cursor,
    limit: PAGE_SIZE,
  }
  return api.get<FoundConversations>('/search', query, signal).then(toPages)
}

const knownKey = (api: WorkspaceApi, { order: _, ...filter }: ListFilter) =>
  keys.found(api.workspaceId, filter)

export const foundQuery = (client: QueryClient, api: WorkspaceApi, filter: ListFilter) => {
  const queryKey = knownKey(api, filter)
  return queryOptions({
    queryKey,
    queryFn: async ({ signal }) => {
      const head = await fetchPage(api, filter, undefined, signal)
      const known = client.getQueryData<FoundPages>(queryKey)
      // With nothing new, the pages that were loaded after the first one are kept.
      const ids = new Set(known?.rows.map(keyOf))
      if (!known || !head.rows.every(({ id }) => ids.has(id))) return head
      const current = new Map(head.rows.map((row) => [row.id, row]))
      return { ...known, rows: known.rows.map((row) => current.get(row.id) ?? row) }
    },
    staleTime: FRESH_MS,
  })
}

export const loadMoreFound = async (
  client: QueryClient,
  api: WorkspaceApi,
  filter: ListFilter,
): Promise<void> => {
  const queryKey = knownKey(api, filter)
  const cursor = client.getQueryData<FoundPages>(queryKey)?.nextCursor
  if (!cursor) return
  const page = await fetchPage(api, filter, cursor)
  client.setQueryData<FoundPages>(queryKey, (known) =>
    known && known.nextCursor === cursor
      ? { ...appendPage(known, page, { keyOf, compare: () => 0 }), searchedBackTo: page.searchedBackTo }
      : known,
  )
}

/** How much of it is open and closed, for a view in which there is nothing. */
export const foundCountsQuery = (api: WorkspaceApi, { view: _, order: _order, ...filter }: ListFilter) =>
  queryOptions({
    queryKey: keys.foundCounts(api.workspaceId, filter),
    queryFn: ({ signal }) => {
      const { limit: _, ...query } = queryOf({ ...filter, view: 'all' })
      return api.get<FoundElsewhere>('/search/counts', { ...query, status: undefined, q: filter.q }, signal)
    },
    staleTime: FRESH_MS,
  })

/** Shows in the results what has become of a conversation; searching again would move them. */
export const refreshFound = async (
  client: QueryClient,
  api: WorkspaceApi,
  conversationId: string,
): Promise<void> => {
  const { conversation } = await api.get<ConversationDetails>(`/conversations/${conversationId}/details`)
  patchConversation(client, api.workspaceId, conversationId, conversation)
}
