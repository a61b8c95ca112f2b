import { CircleAlert, Clock, RotateCcw, Trash2 } from 'lucide-react'
import { useSession } from '../../state/session.tsx'
import { Button } from '../../ui/button.tsx'
import { LinkedText } from '../../ui/linked-text.tsx'
import { NoteEntry } from './note-entry.tsx'
import type { Outbox, Outgoing } from './outbox.ts'
import { Quote } from './quoted-message.tsx'

/** A message that the server has not confirmed yet. */
export const OutgoingEntry = ({ item, outbox }: { item: Outgoing; outbox: Outbox }) => {
  const { session } = useSession()
  const isFailed = item.state === 'failed'
  return (
    <div className={isFailed ? undefined : 'outgoing'}>
      {item.kind === 'note' ? (
        <NoteEntry
          note={{ body: item.body, createdAt: item.createdAt, agent: session.account }}
          state={isFailed ? 'not saved' : 'saving…'}
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
              {item.attachments.map(({ id, name }) => (
                <p key={id} className="bubble__kicker">
                  <bdi>{name}</bdi>
                </p>
              ))}
            </div>
            {!isFailed && (
              <footer className="message__foot">
                <span className="delivery">
                  <Clock size={14} aria-hidden /> Sending…
                </span>
              </footer>
            )}
          </div>
        </article>
      )}
      {isFailed && (
        <div className="failure failure--end" role="alert">
          <CircleAlert size={14} aria-hidden />
          <span>{item.problem}</span>
          <Button size="small" icon={RotateCcw} onClick={() => outbox.retry(item.key)}>
            Try again
          </Button>
          <Button size="small" variant="ghost" icon={Trash2} onClick={() => outbox.discard(item.key)}>
            Discard
          </Button>
        </div>
      )}
    </div>
  )
}
