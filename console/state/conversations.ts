// Conversation lists in the cache, and the changes that the console makes to conversations.
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { WorkspaceApi } from './api.ts'
import { appendPage, mergeHead, type Paged } from './merge-head.ts'
import { keys } from './query-keys.ts'
import type { ConversationCounts, ConversationDetails, ConversationRow } from './types.ts'

const PAGE_SIZE = 50

export type View = 'mine' | 'unassigned' | 'open' | 'snoozed' | 'mentions' | 'closed' | 'all'
export const VIEWS: View[] = ['mine', 'unassigned', 'open', 'snoozed', 'mentions', 'closed', 'all']

/** A snooze that only the customer’s reply ends; see server/domain/conversations/triage-schema.ts. */
export const UNTIL_REPLY = '9999-12-31T00:00:00.000Z'
export const isUntilReply = (until: string): boolean => until === UNTIL_REPLY

/** `order`: only those that wait for a reply, longest first, or those that are due, earliest first. */
export type ListFilter = {
  view: View
  channel?: string
  q?: string
  unread?: boolean
  order?: 'waiting' | 'due'
  /** One that the conversation has itself. */
  tag?: string
  account?: string
  language?: string
  /** Who it is assigned to, or `ai`. */
  agent?: string
  /** Of which team, or `own`: of all that the person is in. */
  team?: string
  /** Only those with a message that failed. */
  failed?: boolean
  /** Only those that should have been answered by now. */
  overdue?: boolean
}

/** What narrows and orders a view. */
export type ListSearch = Omit<ListFilter, 'view'>

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

/** What a view shows. A snoozed conversation is open, and out of the other views of open ones. */
const VIEW_QUERIES: Record<View, Record<string, string | boolean>> = {
  mine: { mine: true, status: 'open', snoozed: false },
  unassigned: { status: 'unassigned', snoozed: false },
  open: { status: 'open', snoozed: false },
  snoozed: { status: 'open', snoozed: true, sort: 'snoozed' },
  mentions: { status: 'all', mentioned: true },
  closed: { status: 'closed' },
  all: { status: 'all' },
}

/** Without `q`, which state/found.ts searches for. */
export const queryOf = ({
  view,
  channel,
  unread,
  order,
  tag,
  agent,
  team,
  failed,
  overdue,
  account,
  language,
}: ListFilter) => ({
  ...VIEW_QUERIES[view],
  ownTagId: tag,
  agentId: agent,
  ...(team === 'own' ? { ownTeams: true } : { teamId: team }),
  ...(overdue && { overdue, sort: 'due' }),
  hasFailedMessage: failed || undefined,
  channelAccountId: account,
  language,
  channel,
  unread: unread || undefined,
  ...(order && { sort: order }),
  limit: PAGE_SIZE,
})

export const conversationsQuery = (client: QueryClient, api: WorkspaceApi, filter: ListFilter) => {
  const queryKey = keys.conversationList(api.workspaceId, filter)
  return queryOptions({
    queryKey,
    queryFn: async ({ signal }) => {
      const page = await api.get<Page>('/conversations', queryOf(filter), signal)
      const head = { rows: page.conversations, nextCursor: page.nextCursor }
      // These have orders of their own, so their pages can't be merged.
      if (filter.order || filter.view === 'snoozed') return head
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
