import { useInfiniteQuery } from '@tanstack/react-query'
import { RefreshCw, Webhook } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { dateTimeOf, fullMoment } from '../../state/dates.ts'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import type { DeliveryPage, WebhookDelivery } from '../../state/webhooks.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState, LoadProblem } from '../../ui/empty-state.tsx'
import { Select } from '../../ui/field.tsx'
import { LoadMore } from '../../ui/page.tsx'
import { SkeletonRows } from '../../ui/spinner.tsx'
import { t } from '../../words/t.ts'
import { DELIVERY_LOOKS } from './webhook-words.ts'

const ShownDelivery = lazy(() =>
  import('./webhook-delivery.tsx').then(({ ShownDelivery }) => ({ default: ShownDelivery })),
)

const columnsOf = (onOpen: (row: WebhookDelivery) => void): Column<WebhookDelivery>[] => [
  {
    id: 'type',
    head: t`Event`,
    cell: (row) => (
      <div>
        <Button variant="ghost" size="small" className="text-mono" onClick={() => onOpen(row)}>
          {row.type}
        </Button>
        {row.kind !== 'live' && <Badge>{row.kind === 'test' ? t`Test` : t`Replay`}</Badge>}
      </div>
    ),
  },
  {
    id: 'state',
    head: t`State`,
    width: '16%',
    isNameless: true,
    cell: ({ state }) => <Badge tone={DELIVERY_LOOKS[state].tone}>{DELIVERY_LOOKS[state].label}</Badge>,
  },
  {
    id: 'status',
    head: t`Response`,
    width: '20%',
    cell: ({ lastStatus, lastError, durationMs }) =>
      lastStatus === null
        ? lastError && <bdi>{lastError}</bdi>
        : `${lastStatus}${durationMs === null ? '' : t` · ${durationMs} ms`}`,
  },
  { id: 'attempts', head: t`Attempts`, width: '12%', align: 'end', cell: ({ attempts }) => attempts },
  {
    id: 'createdAt',
    head: t`When`,
    width: '22%',
    cell: ({ createdAt }) => <span title={fullMoment(createdAt)}>{dateTimeOf(createdAt)}</span>,
  },
]

/** What was sent or waits, newest first. */
export const WebhookDeliveries = ({ endpointId }: { endpointId: string }) => {
  const api = useApi()
  const [state, setState] = useState('')
  const [opened, setOpened] = useState<string | null>(null)
  const query = useInfiniteQuery({
    queryKey: keys.webhookDeliveries(api.workspaceId, endpointId, state),
    queryFn: ({ pageParam, signal }) =>
      api.get<DeliveryPage>(
        `/webhook-endpoints/${endpointId}/deliveries`,
        { state, cursor: pageParam },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })
  const { data, error, refetch, isRefetching, hasNextPage, fetchNextPage, isFetchingNextPage } = query
  const rows = data?.pages.flatMap(({ deliveries }) => deliveries)
  const open = ({ id }: WebhookDelivery) => setOpened(id)
  return (
    <div className="stack stack--fields">
      <div className="row row--wrap">
        <Select
          label={t`State`}
          isLabelHidden
          value={state}
          options={[
            { value: '', label: t`All states` },
            ...Object.entries(DELIVERY_LOOKS).map(([value, { label }]) => ({ value, label })),
          ]}
          onChange={({ target }) => setState(target.value)}
        />
        <Button icon={RefreshCw} isBusy={isRefetching} onClick={() => void refetch()}>
          {t`Refresh`}
        </Button>
      </div>
      {error ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : !rows ? (
        <SkeletonRows rows={4} />
      ) : (
        <DataTable
          label={t`Deliveries`}
          columns={columnsOf(open)}
          rows={rows}
          keyOf={({ id }) => id}
          onOpen={open}
          empty={
            <EmptyState icon={Webhook} title={state ? t`No matching deliveries` : t`No deliveries yet`}>
              {state ? t`Choose another state.` : t`Send a test event, or wait for the next one.`}
            </EmptyState>
          }
        />
      )}
      {hasNextPage && <LoadMore isBusy={isFetchingNextPage} onLoad={() => void fetchNextPage()} />}
      <Suspense>{opened && <ShownDelivery deliveryId={opened} onClose={() => setOpened(null)} />}</Suspense>
    </div>
  )
}
