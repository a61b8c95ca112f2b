import { StickyNote } from 'lucide-react'
import { lazy, type ReactNode, Suspense } from 'react'
import { fullMoment, timeOf } from '../../state/dates.ts'
import { useSession } from '../../state/session.tsx'
import type { Attachment, ThreadNote } from '../../state/types.ts'
import { LinkedText } from '../../ui/linked-text.tsx'
import { t } from '../../words/t.ts'

const OwnNote = lazy(() => import('./own-note.tsx'))
const NoteFiles = lazy(() => import('./attachments.tsx').then(({ NoteFiles }) => ({ default: NoteFiles })))

type Shown = Pick<ThreadNote, 'body' | 'createdAt' | 'agent'> &
  Partial<Omit<ThreadNote, 'attachments'>> & { attachments?: readonly Attachment[] }

/** An internal note. One that isn't stored yet has no id. */
export const NoteEntry = ({ note, state }: { note: Shown; state?: string }) => {
  const { session } = useSession()
  const isOwn = note.agent.id === session.account.id
  const { id, editedAt, attachments = [] } = note
  return (
    <article className="note" aria-label={t`Note by ${note.agent.nickname}`}>
      <header className="note__head">
        <StickyNote size={13} aria-hidden />
        <bdi className="text-strong">{isOwn ? t`You` : note.agent.nickname}</bdi>
        <span>{t`added a note`}</span>
        <time dateTime={note.createdAt} title={fullMoment(note.createdAt)}>
          {state ?? timeOf(note.createdAt)}
        </time>
        {editedAt && <span title={fullMoment(editedAt)}>{t`edited`}</span>}
        <Suspense>{isOwn && id && <OwnNote id={id} body={note.body} />}</Suspense>
      </header>
      <p className="user-text">{withMentions(note, session.account.id)}</p>
      <Suspense>{attachments.length > 0 && <NoteFiles attachments={attachments} />}</Suspense>
    </article>
  )
}

const withMentions = ({ body, mentions = [] }: Shown, ownId: string): ReactNode[] => {
  const parts: ReactNode[] = []
  let at = 0
  for (const { position, length, accountId } of mentions) {
    parts.push(<LinkedText key={at} text={body.slice(at, position)} />)
    parts.push(
      <bdi key={`@${position}`} className={accountId === ownId ? 'mention mention--me' : 'mention'}>
        {body.slice(position, position + length)}
      </bdi>,
    )
    at = position + length
  }
  return [...parts, <LinkedText key={at} text={body.slice(at)} />]
}
