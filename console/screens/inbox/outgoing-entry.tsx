import { Clock } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { useSession } from '../../state/session.tsx'
import { LinkedText } from '../../ui/linked-text.tsx'
import { t } from '../../words/t.ts'
import { NoteEntry } from './note-entry.tsx'
import type { Outbox, Outgoing } from './outbox.ts'
import { Quote } from './quoted-message.tsx'

const Unsent = lazy(() => import('./unsent.tsx'))

/** A message that the server has not confirmed yet, or that it holds until it can no longer be undone. */
export const OutgoingEntry = ({
  conversationId,
  item,
  outbox,
}: {
  conversationId: string
  item: Outgoing
  outbox: Outbox
}) => {
  const { session } = useSession()
  const isFailed = item.state === 'failed'
  return (
    <div className={item.state === 'sending' ? 'outgoing' : undefined}>
      {item.kind === 'note' ? (
        <NoteEntry
          note={{
            ...{ body: item.body, createdAt: item.createdAt, agent: session.account },
            attachments: item.attachments,
          }}
          state={isFailed ? t`not saved` : 'saving…'}
        />
      ) : (
        <article className="message message--ours message--first message--last">
          <div className="message__column">
            <div className={isFailed ? 'bubble bubble--failed' : 'bubble'}>
              {item.quoted && <Quote text={item.quoted.text} />}
              {item.body && (
                <p className="user-text">
                  <LinkedText text={item.body} />
                </p>
              )}
              {item.attachments
                .filter(({ id }) => !item.email?.html?.includes(id))
                .map(({ id, name }) => (
                  <p key={id} className="bubble__kicker">
                    <bdi>{name}</bdi>
                  </p>
                ))}
            </div>
            {item.state === 'sending' && (
              <footer className="message__foot">
                <span className="delivery">
                  <Clock size={14} aria-hidden /> {t`Sending…`}
                </span>
              </footer>
            )}
          </div>
        </article>
      )}
      <Suspense>
        {item.state !== 'sending' && <Unsent conversationId={conversationId} item={item} outbox={outbox} />}
      </Suspense>
    </div>
  )
}
