// A result of the search: who it is with, and the text that was found.
import { Link } from '@tanstack/react-router'
import { CornerUpLeft, Paperclip, StickyNote, Tag, UserRound } from 'lucide-react'
import { memo } from 'react'
import type { ListFilter } from '../../state/conversations.ts'
import { fullMoment, shortMoment } from '../../state/dates.ts'
import type { FoundRow as Row } from '../../state/found.ts'
import { Avatar, Badge, ChannelIcon, Count } from '../../ui/badge.tsx'
import { classNames } from '../../ui/class-names.ts'
import { withMarks } from '../../ui/marked-text.tsx'
import { t } from '../../words/t.ts'
import { toggleSelected } from './selection.ts'

const KINDS = {
  note: [StickyNote, t`Found in a note`],
  file: [Paperclip, t`Found in a file’s name`],
  contact: [UserRound, t`Found in the customer’s details`],
  tag: [Tag, t`Found in a tag`],
  hiddenText: [CornerUpLeft, t`Found in quoted text`],
} as const

/** Why a conversation was found. */
export const Snippet = ({ match, lastMessage }: Pick<Row, 'match' | 'lastMessage'>) => {
  if (!match) return <bdi>{lastMessage?.body || t`Attachment`}</bdi>
  const [Icon, label] = match.kind in KINDS ? KINDS[match.kind as keyof typeof KINDS] : []
  return (
    <>
      {Icon && <Icon size={12} role="img" aria-label={label} className="found__kind" />}
      <bdi>{withMarks(match.text, match.marks)}</bdi>
    </>
  )
}

export const FoundRow = memo(
  ({
    row,
    filter,
    isOpen,
    isTabStop,
    isSelected,
  }: {
    row: Row
    filter: ListFilter
    isOpen: boolean
    isTabStop: boolean
    isSelected: boolean
  }) => {
    const { contact, match, unreadCount, updatedAt, subject } = row
    const { view, ...search } = filter
    const at = match?.entryId ?? undefined
    return (
      <>
        <Link
          to="/inbox/$view/$conversationId"
          params={{ view, conversationId: row.id }}
          search={{ ...search, find: at && search.q, at }}
          preload={false}
          tabIndex={isTabStop ? 0 : -1}
          className={classNames(
            'convo',
            'found',
            unreadCount > 0 && 'convo--unread',
            isOpen && 'convo--open',
            isSelected && 'convo--selected',
          )}
        >
          <span className="convo__face">
            <Avatar name={contact.name} seed={contact.id} />
            <span className="convo__channel">
              <ChannelIcon channel={row.channel} size={12} />
            </span>
          </span>
          <span className="convo__words">
            <span className="convo__line">
              <bdi className="convo__name truncate">{contact.name}</bdi>
              {row.status === 'closed' && view !== 'closed' && <Badge>{t`Closed`}</Badge>}
              <time className="convo__time" dateTime={updatedAt} title={fullMoment(updatedAt)}>
                {shortMoment(updatedAt)}
              </time>
            </span>
            {subject && match?.kind !== 'subject' && <bdi className="convo__subject truncate">{subject}</bdi>}
            <span className="convo__line">
              <span className={subject ? 'found__text found__text--one' : 'found__text'}>
                <Snippet match={match} lastMessage={row.lastMessage} />
              </span>
              {unreadCount > 0 && <Count value={unreadCount} label={t`${unreadCount} unread`} />}
            </span>
          </span>
        </Link>
        <input
          type="checkbox"
          className="convo__tick"
          tabIndex={-1}
          aria-label={t`Select ${contact.name}`}
          checked={isSelected}
          onChange={() => toggleSelected(row.id)}
        />
      </>
    )
  },
)
