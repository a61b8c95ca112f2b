import { agoOf, fullMoment } from '../state/dates.ts'
import type { ThreadNote } from '../state/types.ts'
import { LinkedText } from './linked-text.tsx'

/** A compact note: its text, author and age. */
export const SmallNote = ({ note }: { note: Pick<ThreadNote, 'body' | 'createdAt' | 'agent'> }) => (
  <li className="note note--small">
    <p className="user-text">
      <LinkedText text={note.body} />
    </p>
    <p className="note__head">
      <bdi>{note.agent.nickname}</bdi>
      <time dateTime={note.createdAt} title={fullMoment(note.createdAt)}>
        {agoOf(note.createdAt)}
      </time>
    </p>
  </li>
)
