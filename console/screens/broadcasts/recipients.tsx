import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { UsersRound } from 'lucide-react'
import { useCallback, useEffect, useRef } from 'react'
import { fullMoment, shortMoment } from '../../state/dates.ts'
import { useEvents } from '../../state/live.ts'
import { useApi } from '../../state/session.tsx'
import type { Broadcast, Recipient } from '../../state/types.ts'
import { Badge } from '../../ui/badge.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState, LoadProblem } from '../../ui/empty-state.tsx'
import { Select } from '../../ui/field.tsx'
import { LoadMore } from '../../ui/page.tsx'
import { SkeletonRows } from '../../ui/spinner.tsx'
import { t } from '../../words/t.ts'
import { Who } from '../contacts/contact-who.tsx'
import { OUTCOMES, recipientsQuery } from './broadcast-state.ts'

/** Large broadcasts report progress several times a second; this limits how often rows are refetched. */
const REFRESH_MS = 2_000

const DELIVERY: Record<string, string> = { delivered: t`Delivered`, read: t`Read` }

const COLUMNS: Column<Recipient>[] = [
  {
    id: 'name',
    head: t`Name`,
    width: '28%',
    cell: ({ contactId, name, phone }) => (
      <Who id={contactId} name={name ?? phone ?? '?'}>
        <Link to="/contacts/$contactId" params={{ contactId }}>
          <bdi>{name ?? phone ?? t`Unknown contact`}</bdi>
        </Link>
      </Who>
    ),
  },
  {
    id: 'phone',
    head: t`Phone`,
    cell: ({ phone, name }) => (phone && phone !== name ? <span className="numeric">{phone}</span> : null),
  },
  {
    id: 'outcome',
    head: t`Outcome`,
    cell: ({ outcome, status }) => (
      <span className="row">
        <Badge tone={OUTCOMES[outcome]?.tone}>{OUTCOMES[outcome]?.text ?? outcome}</Badge>
        {outcome === 'sent' && status && DELIVERY[status] && (
          <span className="text-soft">{DELIVERY[status]}</span>
        )}
      </span>
    ),
  },
  {
    id: 'reason',
    head: t`Reason`,
    width: '28%',
    cell: ({ reason }) => reason && <span dir="auto">{reason.message}</span>,
  },
  {
    id: 'conversation',
    head: t`Conversation`,
    cell: ({ conversationId, name, phone }) =>
      conversationId && (
        <Link
          to="/inbox/$view/$conversationId"
          params={{ view: 'all', conversationId }}
          aria-label={t`Open the conversation with ${name ?? phone ?? t`this contact`}`}
        >
          {t`:verb:Open`}
        </Link>
      ),
  },
  {
    id: 'when',
    head: t`Updated`,
    align: 'end',
    cell: ({ updatedAt }) => (
      <time dateTime={updatedAt} title={fullMoment(updatedAt)}>
        {shortMoment(updatedAt)}
      </time>
    ),
  },
]

/** Refetches the rows when something happened to one of them, but not for every event. */
const useRefreshed = (broadcastId: string, messageIds: ReadonlySet<string>, refresh: () => void): void => {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const latest = useRef({ messageIds, refresh })
  latest.current = { messageIds, refresh }
  useEvents(
    useCallback(
      ({ type, data }) => {
        const isOurs =
          (type === 'broadcast.updated' && data.broadcastId === broadcastId) ||
          (type === 'message.status' && latest.current.messageIds.has(String(data.messageId)))
        if (!isOurs || timer.current) return
        timer.current = setTimeout(() => {
          timer.current = undefined
          latest.current.refresh()
        }, REFRESH_MS)
      },
      [broadcastId],
    ),
  )
  useEffect(() => () => clearTimeout(timer.current), [])
}

/** The recipients and their outcomes. */
export const Recipients = ({ broadcast: { id, status } }: { broadcast: Broadcast }) => {
  const api = useApi()
  const client = useQueryClient()
  const { outcome = '' } = useSearch({ from: '/signed/broadcasts/$broadcastId' })
  const navigate = useNavigate({ from: '/broadcasts/$broadcastId' })
  const query = recipientsQuery(api, id, OUTCOMES[outcome] ? outcome : '')
  const { data, error, refetch, isPlaceholderData, hasNextPage, isFetchingNextPage, fetchNextPage } =
    useInfiniteQuery(query)
  const rows = data?.pages.flatMap(({ recipients }) => recipients)
  const refresh = (): void => void client.invalidateQueries({ queryKey: query.queryKey })
  useRefreshed(id, new Set(rows?.flatMap(({ messageId }) => messageId ?? [])), refresh)
  // The broadcast may have finished before these rows were requested.
  const lastStatus = useRef(status)
  useEffect(() => {
    if (lastStatus.current === status) return
    lastStatus.current = status
    void client.invalidateQueries({ queryKey: query.queryKey })
  }, [status, client, query.queryKey])

  return (
    <div className="stack">
      <div className="row row--between row--wrap">
        <h2>{t`Recipients`}</h2>
        <Select
          label={t`Outcome`}
          isLabelHidden
          value={outcome}
          options={[
            { value: '', label: t`All outcomes` },
            ...Object.entries(OUTCOMES).map(([value, { text }]) => ({ value, label: text })),
          ]}
          onChange={({ target }) =>
            void navigate({ search: { outcome: target.value || undefined }, replace: true })
          }
        />
      </div>
      {error && !rows ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : !rows ? (
        <SkeletonRows />
      ) : (
        <DataTable
          label={t`Recipients`}
          columns={COLUMNS}
          rows={rows}
          keyOf={({ contactId }) => contactId}
          isBusy={isPlaceholderData}
          empty={
            <EmptyState icon={UsersRound} title={t`No recipients`}>
              {t`Try another outcome.`}
            </EmptyState>
          }
        />
      )}
      {hasNextPage && <LoadMore isBusy={isFetchingNextPage} onLoad={() => void fetchNextPage()} />}
    </div>
  )
}
