import { Link } from '@tanstack/react-router'
import { Bot, CircleAlert, Clock, PencilLine } from 'lucide-react'
import { lazy, memo, Suspense } from 'react'
import type { ListFilter } from '../../state/conversations.ts'
import { briefly, fullMoment, shortMoment } from '../../state/dates.ts'
import { useSession } from '../../state/session.tsx'
import type { ConversationRow as Row } from '../../state/types.ts'
import { Avatar, ChannelIcon, Count } from '../../ui/badge.tsx'
import { classNames } from '../../ui/class-names.ts'
import { t } from '../../words/t.ts'
import { hasDraft } from './has-draft.ts'
import { useOthers } from './others.ts'
import { toggleSelected } from './selection.ts'

/** The same in all workspaces; see migrations/0001_initial.sql. */
const AI_AGENT_ID = 'cfoyeraiagent000000000000'

/** The prefix of the last message, e.g. "You: ". */
const writerOf = ({ lastMessage, contact }: Row, accountId: string): string => {
  if (!lastMessage || lastMessage.senderType === 'customer' || lastMessage.senderId === contact.id) return ''
  if (lastMessage.senderId === accountId) return t`You:`
  if (lastMessage.senderId.startsWith('api:')) return 'API:'
  if (lastMessage.senderType === 'automation') return t`Automatic:`
  if (lastMessage.senderId === AI_AGENT_ID) return t`AI agent:`
  return t`Team:`
}

const marks = () => import('./row-marks.tsx')
const Priority = lazy(() => marks().then(({ Priority }) => ({ default: Priority })))
const Tags = lazy(() => marks().then(({ Tags }) => ({ default: Tags })))
const Due = lazy(() => marks().then(({ Due }) => ({ default: Due })))
const Until = lazy(() => marks().then(({ Until }) => ({ default: Until })))

export const ConversationRow = memo(
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
    const { session, workspace } = useSession()
    const { contact, lastMessage, assignment, team, unreadCount } = row
    const { view, ...search } = filter
    const isUnread = unreadCount > 0
    const at = (filter.order && row.waitingSince) || row.updatedAt
    const writer = writerOf(row, session.account.id)
    const [present] = useOthers(row.id)
    const replying = !isOpen && present?.state === 'typing' ? present.nickname : null
    return (
      <>
        <Link
          to="/inbox/$view/$conversationId"
          params={{ view, conversationId: row.id }}
          search={search}
          preload={false}
          tabIndex={isTabStop ? 0 : -1}
          className={classNames(
            'convo',
            isUnread && 'convo--unread',
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
              <Suspense>{row.priority > 0 && <Priority priority={row.priority} />}</Suspense>
              <bdi className="convo__name truncate">{contact.name}</bdi>
              <time
                className="convo__time"
                dateTime={at}
                title={
                  row.waitingSince
                    ? t`Waiting for a reply since ${fullMoment(row.waitingSince)}`
                    : fullMoment(at)
                }
              >
                {row.snoozedUntil ? (
                  <Suspense>
                    <Until until={row.snoozedUntil} />
                  </Suspense>
                ) : row.answerDueAt ? (
                  <Suspense>
                    <Due at={row.answerDueAt} />
                  </Suspense>
                ) : row.waitingSince ? (
                  t`Waiting ${briefly(row.waitingSince)}`
                ) : (
                  shortMoment(at)
                )}
              </time>
            </span>
            {row.subject && <bdi className="convo__subject truncate">{row.subject}</bdi>}
            <span className="convo__line">
              <span className="convo__preview">
                {hasDraft({ session, workspace }, row.id) && !isOpen && (
                  <span className="convo__draft">
                    <PencilLine size={12} aria-hidden /> {t`Draft`}
                  </span>
                )}
                {lastMessage?.status === 'failed' && (
                  <CircleAlert size={12} role="img" aria-label={t`Failed`} className="text-danger" />
                )}
                {lastMessage?.status === 'queued' && <Clock size={12} role="img" aria-label={t`Sending`} />}
                {replying !== null ? (
                  <bdi className="convo__replying truncate">{t`${replying} is replying…`}</bdi>
                ) : (
                  <>
                    {writer && <span>{writer}</span>}
                    <bdi className="truncate">
                      {lastMessage ? lastMessage.body || t`Attachment` : t`No messages yet`}
                    </bdi>
                  </>
                )}
              </span>
              <Suspense>{row.tags.length > 0 && <Tags tags={row.tags} />}</Suspense>
              {assignment && (
                <span className="convo__agent" title={t`Assigned to ${assignment.agentNickname}`}>
                  {assignment.isAi ? (
                    <Bot size={14} role="img" aria-label={t`Assigned to the AI agent`} />
                  ) : (
                    <bdi className="truncate">
                      {assignment.agentId === session.account.id ? t`You` : assignment.agentNickname}
                    </bdi>
                  )}
                </span>
              )}
              {!assignment && team && (
                <span className="convo__agent">
                  <bdi className="truncate">{team.name}</bdi>
                </span>
              )}
              {isUnread && <Count value={unreadCount} label={t`${unreadCount} unread`} />}
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
