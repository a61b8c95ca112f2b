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
import { MarksContext } from '../../ui/marked-text.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { t } from '../../words/t.ts'
import { Composer, type ComposerHandle } from './composer.tsx'
import { ConversationHead } from './conversation-head.tsx'
import { asOutgoing, makeOutbox, useOutgoing, useUnsentWarning } from './outbox.ts'
import { Thread } from './thread.tsx'
import { type Aftermath, useActions } from './use-actions.ts'
import { useFind } from './use-find.ts'
import { threadId } from './use-list-keys.ts'
import { useMarkRead } from './use-mark-read.ts'
import { useThreadPlace } from './use-thread-place.ts'

const ContactPanel = lazy(() => import('./contact-panel.tsx'))
const FindBar = lazy(() => import('./find-bar.tsx'))
const AutomationBar = lazy(() => import('./automation-bar.tsx'))

const newestIdOf = ({ rows }: Timeline): string | null => {
  const newest = rows.find((entry) => entry.kind === 'message')
  return newest ? entryId(newest) : null
}

type Props = {
  conversationId: string
  /** What is looked for in it, and the entry that it opens at. */
  find: string | undefined
  at: string | undefined
  onLeave: () => void
  /** On narrow screens the panel covers the thread and starts closed; on wide ones it stays as the agent left it. */
  isPanelShown: boolean
  onPanel: (isShown: boolean) => void
  aftermath: Aftermath
}

/** What is held by the server, and what is still to be sent to it. */
const useAllOutgoing = (conversationId: string) => {
  const api = useApi()
  const client = useQueryClient()
  const unsent = useOutgoing(client, api.workspaceId, conversationId)
  const { data: held } = useQuery(heldQuery(api))
  useUnsentWarning(unsent)
  return useMemo(
    () => [...(held ?? []).filter((one) => one.conversationId === conversationId).map(asOutgoing), ...unsent],
    [held, unsent, conversationId],
  )
}

export const Conversation = (props: Props) => {
  const { conversationId, find, at, onLeave, isPanelShown, onPanel, aftermath } = props
  const api = useApi()
  const client = useQueryClient()
  const { isPanelOpen } = usePreferences()
  const details = useQuery(detailsQuery(api, conversationId))
  const timeline = useQuery(timelineQuery(client, api, conversationId))
  const outbox = useMemo(() => makeOutbox(client, api, conversationId), [client, api, conversationId])
  const outgoing = useAllOutgoing(conversationId)
  const actions = useActions(details.data?.conversation, aftermath)
  const composer = useRef<ComposerHandle>(null)
  const onReply = useCallback((message: Message) => composer.current?.quote(message), [])
  const mayQuote = details.data?.canQuote === true
  const place = useThreadPlace(conversationId, at, timeline.data)
  const { shown, isLive, isFinding } = place
  const isAtEnd = isLive && !isFinding
  const firstNewId = useMarkRead(conversationId, details.data, isAtEnd ? timeline.data : undefined)
  // What arrives while another part of the thread is shown has not been seen.
  const newestId = useRef<string | null>(null)
  if (timeline.data && (isAtEnd || newestId.current === null)) newestId.current = newestIdOf(timeline.data)
  const finding = useFind(find)

  const error = details.error ?? timeline.error
  // Also applies to a conversation that was open: it may have been assigned to someone else.
  const isGone = error instanceof ApiError && error.status === 404
  if (error && (isGone || !details.data || !timeline.data))
    return (
      <NotShown
        error={error}
        isGone={isGone}
        onRetry={() => {
          void details.refetch()
          void timeline.refetch()
        }}
      />
    )

  return (
    <>
      <section
        className="convo-pane"
        id={threadId(conversationId)}
        aria-label={t`Conversation`}
        tabIndex={-1}
      >
        <ConversationHead
          details={details.data}
          actions={actions}
          onLeave={onLeave}
          onPanel={() => onPanel(true)}
        />
        {finding.isOpen && (
          <Suspense>
            <FindBar
              conversationId={conversationId}
              find={find ?? ''}
              at={at}
              place={place}
              finding={finding}
            />
          </Suspense>
        )}
        {details.data && timeline.data && shown && !isFinding ? (
          <>
            {details.data.isAutomated && (
              <Suspense>
                <AutomationBar conversationId={conversationId} />
              </Suspense>
            )}
            <MarksContext value={finding.marks}>
              <Thread
                {...place}
                details={details.data}
                timeline={shown}
                live={timeline.data}
                foundId={finding.foundId}
                outgoing={outgoing}
                outbox={outbox}
                firstNewId={firstNewId}
                onReply={mayQuote ? onReply : undefined}
              />
            </MarksContext>
            <Composer
              key={conversationId}
              ref={composer}
              details={details.data}
              newestId={newestId.current}
              outbox={outbox}
              actions={actions}
            />
          </>
        ) : (
          <div className="convo-pane__waiting">
            <Skeleton lines={6} label={t`Loading conversation`} />
          </div>
        )}
      </section>
      <aside
        className={`customer ${isPanelOpen ? '' : 'customer--away'} ${isPanelShown ? 'customer--over' : ''}`}
        aria-label={t`Customer`}
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

const NotShown = ({ error, isGone, onRetry }: { error: unknown; isGone: boolean; onRetry: () => void }) => (
  <section className="convo-pane" aria-label={t`Conversation`}>
    {isGone ? (
      <EmptyState
        icon={MessageCircleOff}
        title={t`Conversation not found`}
        action={
          <ButtonLink to="/inbox" variant="secondary">
            {t`Back to inbox`}
          </ButtonLink>
        }
      >
        {t`It may belong to another workspace or no longer be assigned to you.`}
      </EmptyState>
    ) : (
      <LoadProblem error={error} onRetry={onRetry} />
    )}
  </section>
)
