// Requests what the inbox is about to show while the page is still loading: its code at once, its list once the user is
// known.
import type { QueryClient } from '@tanstack/react-query'
import { workspaceApi } from './state/api.ts'
import { conversationsQuery, countsQuery, detailsQuery, VIEWS, type View } from './state/conversations.ts'
import { readLastView } from './state/last-view.ts'
import { chosenOf, sessionQuery } from './state/session.tsx'
import { timelineQuery } from './state/timeline.ts'

const INBOX = /^\/(?:inbox(?:\/(\w+)(?:\/(\w+))?)?\/?)?$/

export const lookAhead = (client: QueryClient): void => {
  const found = INBOX.exec(location.pathname)
  if (!found) return
  void import('./screens/inbox/inbox.tsx')
  const [, named, conversationId] = found
  if (conversationId) void import('./screens/inbox/conversation.tsx')
  // The router parses the filters.
  const view = named === undefined ? readLastView() : VIEWS.find((view) => view === named)
  if (!view || location.search) return
  // The router sends signed-out users to the sign-in page.
  client.ensureQueryData(sessionQuery).then(
    (session) => {
      const workspace = chosenOf(session)
      if (workspace) askFor(client, workspace.id, view, conversationId)
    },
    () => {},
  )
}

const askFor = (client: QueryClient, w: string, view: View, conversationId: string | undefined): void => {
  const api = workspaceApi(w)
  void client.prefetchQuery(conversationsQuery(client, api, { view }))
  void client.prefetchQuery(countsQuery(api))
  if (!conversationId) return
  void client.prefetchQuery(detailsQuery(api, conversationId))
  void client.prefetchQuery(timelineQuery(client, api, conversationId))
}
