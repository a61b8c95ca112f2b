import { Link } from '@tanstack/react-router'
import { fullMoment, shortMoment } from '../../state/dates.ts'
import { Badge, ChannelIcon } from '../../ui/badge.tsx'
import { channelName } from '../../ui/channel-name.ts'
import { LoadProblem } from '../../ui/empty-state.tsx'
import { Item, ItemList } from '../../ui/item-list.tsx'
import { Section } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { t } from '../../words/t.ts'
import type { useContactConversations } from './contact-parts.tsx'

export const ContactConversations = ({
  conversations: { data, error, refetch },
}: {
  conversations: ReturnType<typeof useContactConversations>
}) => (
  <Section title={t`Conversations`}>
    {error && !data ? (
      <LoadProblem error={error} onRetry={() => void refetch()} />
    ) : !data ? (
      <Skeleton lines={4} label={t`Loading conversations`} />
    ) : data.conversations.length === 0 ? (
      <p className="text-soft">{t`No conversations yet.`}</p>
    ) : (
      <ItemList label={t`Conversations`}>
        {data.conversations.map(({ id, channel, subject, lastMessage, status, assignment, updatedAt }) => (
          <Item
            key={id}
            lead={
              <span className="icon-tile">
                <ChannelIcon channel={channel} size={16} />
              </span>
            }
            title={
              <Link to="/inbox/$view/$conversationId" params={{ view: 'all', conversationId: id }}>
                <bdi>{subject || channelName(channel)}</bdi>
              </Link>
            }
            about={lastMessage?.body ? <bdi className="two-lines">{lastMessage.body}</bdi> : null}
            meta={
              <>
                {assignment && <bdi className="truncate">{assignment.agentNickname}</bdi>}
                <Badge tone={status === 'open' ? 'ok' : 'plain'}>
                  {status === 'open' ? t`Open` : t`Closed`}
                </Badge>
                <time dateTime={updatedAt} title={fullMoment(updatedAt)}>
                  {shortMoment(updatedAt)}
                </time>
              </>
            }
          />
        ))}
      </ItemList>
    )}
  </Section>
)
