// Broadcasts in the cache, and their states in words.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { WorkspaceApi } from '../../state/api.ts'
import { keys } from '../../state/query-keys.ts'
import type { Broadcast, Recipient } from '../../state/types.ts'

const LIST_PAGE_SIZE = 30
const RECIPIENTS_PAGE_SIZE = 50

export const broadcastsQuery = (api: WorkspaceApi) =>
  infiniteQueryOptions({
    queryKey: keys.broadcastList(api.workspaceId),
    queryFn: ({ signal, pageParam }) =>
      api.get<{ broadcasts: Broadcast[]; nextCursor: string | null }>(
        '/broadcasts',
        { cursor: pageParam, limit: LIST_PAGE_SIZE },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })

export const broadcastQuery = (api: WorkspaceApi, broadcastId: string) =>
  queryOptions({
    queryKey: keys.broadcast(api.workspaceId, broadcastId),
    queryFn: ({ signal }) => api.get<{ broadcast: Broadcast }>(`/broadcasts/${broadcastId}`, {}, signal),
  })

export const recipientsQuery = (api: WorkspaceApi, broadcastId: string, outcome: string) =>
  infiniteQueryOptions({
    queryKey: keys.broadcastRecipients(api.workspaceId, broadcastId, outcome),
    queryFn: ({ signal, pageParam }) =>
      api.get<{ recipients: Recipient[]; nextCursor: string | null }>(
        `/broadcasts/${broadcastId}/recipients`,
        { outcome, cursor: pageParam, limit: RECIPIENTS_PAGE_SIZE },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
  })

export const STATUS = {
  sending: { text: 'Sending', tone: 'accent' },
  completed: { text: 'Completed', tone: 'ok' },
  failed: { text: 'Failed', tone: 'danger' },
} as const

export const OUTCOMES: Record<string, { text: string; tone: 'plain' | 'accent' | 'ok' | 'warn' | 'danger' }> =
  {
    sent: { text: 'Sent', tone: 'ok' },
    failed: { text: 'Failed', tone: 'danger' },
    unconfirmed: { text: 'Unconfirmed', tone: 'warn' },
    skipped: { text: 'Skipped', tone: 'plain' },
    pending: { text: 'Waiting', tone: 'plain' },
    sending: { text: 'Being sent', tone: 'accent' },
  }

/** Who is neither sent to nor failed: still to come, or for good without an answer of WhatsApp. */
export const leftOf = ({ totalRecipients, sentCount, failedCount }: Broadcast): number =>
  Math.max(0, totalRecipients - sentCount - failedCount)

export const partsOf = ({ sentCount, failedCount }: Broadcast) => [
  { tone: 'ok' as const, value: sentCount, label: 'Sent' },
  { tone: 'danger' as const, value: failedCount, label: 'Failed' },
]

export const progressWords = (broadcast: Broadcast): string => {
  const { sentCount, failedCount, totalRecipients } = broadcast
  const left = leftOf(broadcast)
  return [
    `${sentCount.toLocaleString()} of ${totalRecipients.toLocaleString()} sent`,
    failedCount > 0 ? `${failedCount.toLocaleString()} failed` : null,
    left > 0 ? `${left.toLocaleString()} ${broadcast.status === 'sending' ? 'left' : 'unconfirmed'}` : null,
  ]
    .filter(Boolean)
    .join(', ')
}

const REASONS: Record<string, string> = {
  NO_WHATSAPP: 'No WhatsApp conversation yet',
  OPTED_OUT: 'Want no broadcasts',
  TEMPLATE_NOT_FOUND: 'Their conversation is with a number that does not have this template',
  UNKNOWN: 'Not a contact here',
  DUPLICATE: 'Named more than once',
}
/** Why somebody is left out; a reason that came up since is shown as it is. */
export const reasonWords = (reason: string): string => REASONS[reason] ?? reason
