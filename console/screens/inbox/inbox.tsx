// Three panes: the list, the conversation, the customer. On a phone only one is shown.
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { MessagesSquare } from 'lucide-react'
import { lazy, Suspense, useCallback, useEffect, useMemo, useState } from 'react'
import type { ListFilter, View } from '../../state/conversations.ts'
import { readPreferences } from '../../state/preferences.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Keys } from '../../ui/kbd.tsx'
import { rich, t } from '../../words/t.ts'
import { ConversationList } from './conversation-list.tsx'
import { isLeaving, rowBeside, spotOf } from './list-place.ts'
import type { Aftermath } from './use-actions.ts'

// The list loads first; the code for a conversation follows while the agent reads the list.
const PRELOAD_AFTER_MS = 800
const load = () => import('./conversation.tsx')
const Conversation = lazy(() => load().then(({ Conversation }) => ({ default: Conversation })))

export const Inbox = () => {
  const { view = 'open', conversationId } = useParams({ strict: false }) as {
    view?: View
    conversationId?: string
  }
  const { find, at, ...search } = useSearch({ from: '/signed/inbox' })
  const navigate = useNavigate()
  const [isPanelShown, setPanelShown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(load, PRELOAD_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  const filter: ListFilter = { view, ...search }

  const openConversation = useCallback(
    (id: string, replace: boolean) => {
      void navigate({
        to: '/inbox/$view/$conversationId',
        params: { view, conversationId: id },
        search: (search) => ({ ...search, ...spotOf(id, search.q) }),
        replace,
      })
    },
    [navigate, view],
  )
  const leave = useCallback(() => {
    void navigate({
      to: '/inbox/$view',
      params: { view },
      search: (search) => ({ ...search, find: undefined, at: undefined }),
    })
  }, [navigate, view])
  const aftermath = useMemo<Aftermath>(
    () => ({
      onDone: (how) => {
        if (view === 'closed' ? how !== 'unassigned' : how === 'unassigned' && view !== 'mine') return
        if (how === 'snoozed' && ['snoozed', 'mentions', 'all'].includes(view)) return
        const { afterDone } = readPreferences()
        const next = afterDone !== 'list' && rowBeside(afterDone === 'next' ? 1 : -1, isLeaving(view))
        if (next) openConversation(next.id, true)
        else leave()
      },
      onReturn: (id) => openConversation(id, true),
    }),
    [view, openConversation, leave],
  )

  return (
    <main className={conversationId ? 'inbox inbox--thread' : 'inbox'} id="main" tabIndex={-1}>
      <ConversationList filter={filter} openId={conversationId} onOpen={openConversation} />
      {conversationId ? (
        <Suspense fallback={<section className="convo-pane" aria-label={t`Conversation`} />}>
          <Conversation
            key={conversationId}
            conversationId={conversationId}
            find={find}
            at={at}
            onLeave={leave}
            isPanelShown={isPanelShown}
            onPanel={setPanelShown}
            aftermath={aftermath}
          />
        </Suspense>
      ) : (
        <section className="inbox__nothing" aria-label={t`Conversation`}>
          <EmptyState icon={MessagesSquare} title={t`Select a conversation`}>
            {rich`or press ${<Keys keys="j" />}`}
          </EmptyState>
        </section>
      )}
    </main>
  )
}
