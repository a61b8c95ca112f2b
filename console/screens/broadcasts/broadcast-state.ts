// Broadcasts in the cache, and the labels of their states.

import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { countOf } from '../../state/amounts.ts'
import type { WorkspaceApi } from '../../state/api.ts'
import { keys } from '../../state/query-keys.ts'
import type { Broadcast, BroadcastResults, Recipient } from '../../state/types.ts'
import { t } from '../../words/t.ts'

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
  sending: { text: t`Sending`, tone: 'accent' },
  completed: { text: t`Completed`, tone: 'ok' },
  failed: { text: t`Failed`, tone: 'danger' },
} as const

/** What people decided comes before what the worker is at. */
export const stateOf = ({ status, scheduledAt, pausedAt, canceledAt }: Broadcast, now = new Date()) => {
  if (canceledAt) return { text: t`Canceled`, tone: 'plain' } as const
  if (status !== 'sending') return STATUS[status]
  if (pausedAt) return { text: t`Paused`, tone: 'warn' } as const
  return scheduledAt && new Date(scheduledAt) > now
    ? ({ text: t`Scheduled`, tone: 'plain' } as const)
    : STATUS.sending
}

export const resultsQuery = (api: WorkspaceApi, broadcastId: string) =>
  queryOptions({
    queryKey: [...keys.broadcast(api.workspaceId, broadcastId), 'results'],
    queryFn: ({ signal }) => api.get<BroadcastResults>(`/broadcasts/${broadcastId}/results`, {}, signal),
  })

export const OUTCOMES: Record<string, { text: string; tone: 'plain' | 'accent' | 'ok' | 'warn' | 'danger' }> =
  {
    sent: { text: t`Sent`, tone: 'ok' },
    failed: { text: t`Failed`, tone: 'danger' },
    unconfirmed: { text: t`Unconfirmed`, tone: 'warn' },
    skipped: { text: t`Skipped`, tone: 'plain' },
    pending: { text: t`Waiting`, tone: 'plain' },
    sending: { text: t`In progress`, tone: 'accent' },
  }

/** Recipients neither sent to nor failed: still to come, or without any response from WhatsApp. */
export const leftOf = ({ totalRecipients, sentCount, failedCount }: Broadcast): number =>
  Math.max(0, totalRecipients - sentCount - failedCount)

export const partsOf = ({ sentCount, failedCount }: Broadcast) => [
  { tone: 'ok' as const, value: sentCount, label: t`Sent` },
  { tone: 'danger' as const, value: failedCount, label: t`Failed` },
]

export const progressWords = (broadcast: Broadcast): string => {
  const { sentCount, failedCount, skippedCount, totalRecipients, canceledAt } = broadcast
  const left = leftOf(broadcast)
  // Everyone who is left out no longer counts as a recipient.
  if (canceledAt && left === 0)
    return t`${countOf(sentCount)} sent, ${countOf(skippedCount + failedCount)} not sent`
  return [
    t`${countOf(sentCount)} of ${countOf(totalRecipients)} sent`,
    failedCount > 0 ? t`${countOf(failedCount)} failed` : null,
    left > 0
      ? broadcast.status === 'sending'
        ? t`${countOf(left)} remaining`
        : t`${countOf(left)} unconfirmed`
      : null,
  ]
    .filter(Boolean)
    .join(', ')
}

const REASONS: Record<string, string> = {
  NO_WHATSAPP: t`No WhatsApp conversation yet`,
  OPTED_OUT: t`Opted out`,
  CANCELED: t`Canceled`,
  TEMPLATE_NOT_FOUND: t`Template not available on their WhatsApp number`,
  UNKNOWN: t`Not in your contacts`,
  DUPLICATE: t`Duplicate`,
}
/** Why a recipient is skipped; unknown reasons are shown as they are. */
export const reasonWords = (reason: string): string => REASONS[reason] ?? reason
