import { useQuery, useQueryClient } from '@tanstack/react-query'
import { MessageCircleOff } from 'lucide-react'
import { lazy, Suspense, useMemo } from 'react'
import { ApiError } from '../../state/api.ts'
import { detailsQuery } from '../../state/conversations.ts'
import { usePreferences } from '../../state/preferences.ts'
import { useApi } from '../../state/session.tsx'
import { timelineQuery } from '../../state/timeline.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { EmptyState, LoadProblem } from '../../ui/empty-state.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { Composer } from './composer.tsx'
import { ConversationHead } from './conversation-head.tsx'
import { makeOutbox, useOutgoing, useUnsentWarning } from './outbox.ts'
import { Thread } from './thread.tsx'
import { useActions } from './use-actions.ts'
import { useMarkRead } from './use-mark-read.ts'

const ContactPanel = lazy(() => import('./contact-panel.tsx'))

type Props = {
  conversationId: string
  onLeave: () => void
  /** On narrow screens the panel covers the thread and is opened each time; on wide ones it stays as it was left. */
  isPanelShown: boolean
  onPanel: (isShown: boolean) => void
}

export const Conversation = ({ conversationId, onLeave, isPanelShown, onPanel }: Props) => {
  const api = useApi()
  const client = useQueryClient()
  const { isPanelOpen } = usePreferences()
  const details = useQuery(detailsQuery(api, conversationId))
  const timeline = useQuery(timelineQuery(client, api, conversationId))
  const outbox = useMemo(() => makeOutbox(client, api, conversationId), [client, api, conversationId])
  const outgoing = useOutgoing(api.workspaceId, conversationId)
  const actions = useActions(details.data?.conversation)
  useUnsentWarning(outgoing)
  const firstNewId = useMarkRead(conversationId, details.data, timeline.data)

  const error = details.error ?? timeline.error
  // Also where it was here a moment ago: somebody else has it now.
  const isGone = error instanceof ApiError && error.status === 404
  if (error && (isGone || !details.data || !timeline.data))
    return (
      <section className="convo-pane" aria-label="Conversation">
        {isGone ? (
          <EmptyState
            icon={MessageCircleOff}
            title="This conversation is not here"
            action={
              <ButtonLink to="/inbox" variant="secondary">
                Back to the inbox
              </ButtonLink>
            }
          >
            It may belong to another workspace, or it is no longer assigned to you.
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
      <section className="convo-pane" aria-label="Conversation">
        <ConversationHead
          details={details.data}
          actions={actions}
          onLeave={onLeave}
          onPanel={() => onPanel(true)}
        />
        {details.data && timeline.data ? (
          <>
            <Thread
              details={details.data}
              timeline={timeline.data}
              outgoing={outgoing}
              outbox={outbox}
              firstNewId={firstNewId}
            />
            <Composer key={conversationId} details={details.data} outbox={outbox} actions={actions} />
          </>
        ) : (
          <div className="convo-pane__waiting">
            <Skeleton lines={6} label="Loading the conversation" />
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
