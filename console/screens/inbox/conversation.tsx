import { useQuery, useQueryClient } from '@tanstack/react-query'
import { MessageCircleOff } from 'lucide-react'
import { lazy, Suspense, useCallback, useMemo, useRef } from 'react'
import { ApiError } from '../../state/api.ts'
import { detailsQuery } from '../../state/conversations.ts'
import { heldQuery } from '../../state/held.ts'
import { usePreferences } from '../../state/preferences.ts'
import { useApi } from '../../state/session.tsx'
import { entryId, type Timeline, timelineQuery } from '../../state/timeline.ts'
import type { Message } from '../../state/types.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { EmptyState, LoadProblem } from '../../ui/empty-state.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { Composer, type ComposerHandle } from './composer.tsx'
import { ConversationHead } from './conversation-head.tsx'
import { asOutgoing, makeOutbox, useOutgoing, useUnsentWarning } from './outbox.ts'
import { Thread } from './thread.tsx'
import { type Aftermath, useActions } from './use-actions.ts'
import { threadId } from './use-list-keys.ts'
import { useMarkRead } from './use-mark-read.ts'

const ContactPanel = lazy(() => import('./contact-panel.tsx'))
const AutomationBar = lazy(() => import('./automation-bar.tsx'))

const newestIdOf = ({ rows }: Timeline): string | null => {
  const newest = rows.find((entry) => entry.kind === 'message')
  return newest ? entryId(newest) : null
}

type Props = {
  conversationId: string
  onLeave: () => void
  /** On narrow screens the panel covers the thread and starts closed; on wide ones it stays as the agent left it. */
  isPanelShown: boolean
  onPanel: (isShown: boolean) => void
  aftermath: Aftermath
}

export const Conversation = ({ conversationId, onLeave, isPanelShown, onPanel, aftermath }: Props) => {
  const api = useApi()
  const client = useQueryClient()
  const { isPanelOpen } = usePreferences()
  const details = useQuery(detailsQuery(api, conversationId))
  const timeline = useQuery(timelineQuery(client, api, conversationId))
  const outbox = useMemo(() => makeOutbox(client, api, conversationId), [client, api, conversationId])
  const unsent = useOutgoing(client, api.workspaceId, conversationId)
  const { data: held } = useQuery(heldQuery(api))
  const outgoing = useMemo(
    () => [...(held ?? []).filter((one) => one.conversationId === conversationId).map(asOutgoing), ...unsent],
    [held, unsent, conversationId],
  )
  const actions = useActions(details.data?.conversation, aftermath)
  useUnsentWarning(unsent)
  const composer = useRef<ComposerHandle>(null)
  const onReply = useCallback((message: Message) => composer.current?.quote(message), [])
  const mayQuote = details.data?.canQuote === true
  const firstNewId = useMarkRead(conversationId, details.data, timeline.data)

  const error = details.error ?? timeline.error
  // Also applies to a conversation that was open: it may have been assigned to someone else.
  const isGone = error instanceof ApiError && error.status === 404
  if (error && (isGone || !details.data || !timeline.data))
    return (
      <section className="convo-pane" aria-label="Conversation">
        {isGone ? (
          <EmptyState
            icon={MessageCircleOff}
            title="Conversation not found"
            action={
              <ButtonLink to="/inbox" variant="secondary">
                Back to inbox
              </ButtonLink>
            }
          >
            It may belong to another workspace or no longer be assigned to you.
          </EmptyState>
        ) : (
          <LoadProblem
            error={error}
            onRetry={() => {
              void details.refetch()
              void timeline.refetch()
            }}
          />
        )}
      </section>
    )

  return (
    <>
      <section className="convo-pane" id={threadId(conversationId)} aria-label="Conversation" tabIndex={-1}>
        <ConversationHead
          details={details.data}
          actions={actions}
          onLeave={onLeave}
          onPanel={() => onPanel(true)}
        />
        {details.data && timeline.data ? (
          <>
            {details.data.isAutomated && (
              <Suspense>
                <AutomationBar conversationId={conversationId} />
              </Suspense>
            )}
            <Thread
              details={details.data}
              timeline={timeline.data}
              outgoing={outgoing}
              outbox={outbox}
              firstNewId={firstNewId}
              onReply={mayQuote ? onReply : undefined}
            />
            <Composer
              key={conversationId}
              ref={composer}
              details={details.data}
              newestId={newestIdOf(timeline.data)}
              outbox={outbox}
              actions={actions}
            />
          </>
        ) : (
          <div className="convo-pane__waiting">
            <Skeleton lines={6} label="Loading conversation" />
          </div>
        )}
      </section>
      <aside
        className={`customer ${isPanelOpen ? '' : 'customer--away'} ${isPanelShown ? 'customer--over' : ''}`}
        aria-label="Customer"
      >
        {details.data && (
          <Suspense fallback={<Skeleton lines={5} />}>
            <ContactPanel details={details.data} onClose={() => onPanel(false)} />
          </Suspense>
        )}
      </aside>
    </>
  )
}
