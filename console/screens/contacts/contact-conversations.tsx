import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { fullMoment, shortMoment } from '../../state/dates.ts'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import type { ConversationRow } from '../../state/types.ts'
import { Badge, ChannelIcon, channelName } from '../../ui/badge.tsx'
import { LoadProblem } from '../../ui/empty-state.tsx'
import { Item, ItemList } from '../../ui/item-list.tsx'
import { Section } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/spinner.tsx'

/** The same number and cache key as in the inbox's contact panel. */
const SHOWN_MAX = 20

type Answer = { conversations: ConversationRow[] }

export const useContactConversations = (contactId: string) => {
  const api = useApi()
  return useQuery({
    queryKey: keys.contactConversations(api.workspaceId, contactId),
    queryFn: ({ signal }) => api.get<Answer>('/conversations', { contactId, limit: SHOWN_MAX }, signal),
  })
}

export const ContactConversations = ({
  conversations: { data, error, refetch },
}: {
  conversations: UseQueryResult<Answer>
}) => (
  <Section title="Conversations">
    {error && !data ? (
      <LoadProblem error={error} onRetry={() => void refetch()} />
    ) : !data ? (
      <Skeleton lines={4} label="Loading conversations" />
    ) : data.conversations.length === 0 ? (
      <p className="text-soft">No conversations yet.</p>
    ) : (
      <ItemList label="Conversations">
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
                  {status === 'open' ? 'Open' : 'Closed'}
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
