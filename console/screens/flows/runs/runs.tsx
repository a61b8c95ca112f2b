// What became of a flow's runs: by status, step by step, and each of them.

import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { CircleDashed } from 'lucide-react'
import { type ComponentProps, lazy, Suspense, useState } from 'react'
import { countOf } from '../../../state/amounts.ts'
import { agoOf, dateTimeOf, durationOf, fullMoment } from '../../../state/dates.ts'
import {
  type FlowDetails,
  type FlowRun,
  type Funnel as FunnelData,
  funnelQuery,
  type RunStatus,
  runsQuery,
} from '../../../state/flows.ts'
import { useApi } from '../../../state/session.tsx'
import { Badge, type Tone } from '../../../ui/badge.tsx'
import { type Column, DataTable } from '../../../ui/data-table.tsx'
import { EmptyState, LoadProblem } from '../../../ui/empty-state.tsx'
import { Select } from '../../../ui/field.tsx'
import { LoadMore, Section } from '../../../ui/page.tsx'
import { Figures } from '../../../ui/progress.tsx'
import { Skeleton, SkeletonRows } from '../../../ui/spinner.tsx'
import { t } from '../../../words/t.ts'
import { Funnel } from './funnel.tsx'

const RunDialog = lazy(() => import('./run-dialog.tsx'))

const STATUSES: Record<RunStatus, { text: string; tone: Tone }> = {
  running: { text: t`Running`, tone: 'accent' },
  completed: { text: t`Completed`, tone: 'ok' },
  failed: { text: t`Failed`, tone: 'danger' },
  cancelled: { text: t`Cancelled`, tone: 'plain' },
}
const NAMES = Object.keys(STATUSES) as RunStatus[]

const Runs = ({ flow, onShow }: { flow: FlowDetails; onShow: (row: string) => void }) => {
  const { run } = useSearch({ from: '/signed/flows/$flowId' })
  const navigate = useNavigate({ from: '/flows/$flowId' })
  return (
    <div className="stack">
      <LastDays flow={flow} onShow={onShow} />
      <RunList flow={flow} />
      <Suspense>
        {run && (
          <RunDialog
            runId={run}
            onClose={() => void navigate({ search: ({ run: _, ...known }) => known, replace: true })}
          />
        )}
      </Suspense>
    </div>
  )
}
export default Runs

const LastDays = ({ flow, onShow }: { flow: FlowDetails; onShow: (row: string) => void }) => {
  const api = useApi()
  const [version, setVersion] = useState<number>()
  const { data: funnel, error, refetch } = useQuery(funnelQuery(api, flow.id, version))
  const versions = funnel?.versions ?? []
  return (
    <Section
      title={t`The last 30 days`}
      actions={
        versions.length > 1 && (
          <Select
            label={t`Version`}
            isLabelHidden
            value={version ?? ''}
            options={[
              { value: '', label: t`All versions` },
              ...versions.map((one) => ({ value: String(one), label: t`Version ${one}` })),
            ]}
            onChange={({ target }) => setVersion(Number(target.value) || undefined)}
          />
        )
      }
    >
      {error && !funnel ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : !funnel ? (
        <Skeleton lines={3} label={t`Loading figures`} />
      ) : (
        <>
          <Figures figures={figuresOf(funnel)} />
          <Funnel steps={funnel.steps} onShow={onShow} />
        </>
      )}
    </Section>
  )
}

const figuresOf = ({ runs, medianMs }: FunnelData): ComponentProps<typeof Figures>['figures'] => [
  ...(runs === null ? [] : NAMES).map((status) => ({
    label: STATUSES[status].text,
    value: countOf(runs?.[status] ?? 0),
    tone: status === 'failed' && (runs?.failed ?? 0) > 0 ? ('danger' as const) : undefined,
  })),
  { label: t`Median time`, value: medianMs === null ? '–' : durationWords(medianMs) },
]

const durationWords = (ms: number): string =>
  ms < 60_000 ? t`${Math.max(1, Math.round(ms / 1_000))} s` : durationOf(ms)

const COLUMNS: Column<FlowRun>[] = [
  {
    id: 'started',
    head: t`Started`,
    cell: ({ id, startedAt }) => (
      <Link to="." search={(known) => ({ ...known, run: id })} replace title={fullMoment(startedAt)}>
        {agoOf(startedAt)}
      </Link>
    ),
  },
  {
    id: 'status',
    head: t`Status`,
    cell: ({ status, isTest }) => (
      <span className="row">
        <Badge tone={STATUSES[status].tone}>{STATUSES[status].text}</Badge>
        {isTest && <Badge>{t`Test`}</Badge>}
      </span>
    ),
  },
  { id: 'outcome', head: t`Outcome`, cell: ({ endMessage, waiting }) => endMessage ?? waitWords(waiting) },
  { id: 'steps', head: t`Steps`, align: 'end', cell: ({ stepsTaken }) => countOf(stepsTaken) },
  {
    id: 'messages',
    head: t`Messages`,
    align: 'end',
    cell: ({ messagesSent }) => countOf(messagesSent),
  },
  { id: 'version', head: t`Version`, align: 'end', hide: 'narrow', cell: ({ version }) => version },
  {
    id: 'customer',
    head: t`Customer`,
    isNameless: true,
    cell: ({ contactId, conversationId }) =>
      conversationId === null ? (
        <Link to="/contacts/$contactId" params={{ contactId }}>
          {t`Open contact`}
        </Link>
      ) : (
        <Link to="/inbox/$view/$conversationId" params={{ view: 'all', conversationId }}>
          {t`Open conversation`}
        </Link>
      ),
  },
]

const WAITS: Record<string, string> = {
  reply: t`Waiting for a reply`,
  call: t`Waiting for an action`,
  ai: t`The AI agent is replying`,
  part: t`In another flow`,
}

const waitWords = (waiting: FlowRun['waiting']): string => {
  if (waiting === null) return ''
  const words = WAITS[waiting.for] ?? t`Waiting`
  return waiting.until === null ? words : t`${words} until ${dateTimeOf(waiting.until)}`
}

const RunList = ({ flow }: { flow: FlowDetails }) => {
  const api = useApi()
  const search = useSearch({ from: '/signed/flows/$flowId' })
  const navigate = useNavigate({ from: '/flows/$flowId' })
  const status = NAMES.find((name) => name === search.status)
  const runs = useInfiniteQuery(runsQuery(api, { flowId: flow.id, ...(status && { status }) }))
  const rows = runs.data?.pages.flatMap((page) => page.runs)
  return (
    <Section
      title={t`All runs`}
      actions={
        <Select
          label={t`Status`}
          isLabelHidden
          value={status ?? ''}
          options={[
            { value: '', label: t`All statuses` },
            ...NAMES.map((value) => ({ value, label: STATUSES[value].text })),
          ]}
          onChange={({ target }) =>
            void navigate({
              search: (known) => ({ ...known, status: target.value || undefined }),
              replace: true,
            })
          }
        />
      }
    >
      {runs.error && !rows ? (
        <LoadProblem error={runs.error} onRetry={() => void runs.refetch()} />
      ) : !rows ? (
        <SkeletonRows />
      ) : (
        <DataTable
          label={t`Runs`}
          columns={COLUMNS}
          rows={rows}
          keyOf={({ id }) => id}
          isBusy={runs.isPlaceholderData}
          empty={
            <EmptyState icon={CircleDashed} title={status ? t`No runs with this status` : t`No runs yet`}>
              {flow.state === 'live'
                ? t`They appear here as soon as it starts for a customer.`
                : t`Publish the flow to start it.`}
            </EmptyState>
          }
        />
      )}
      {runs.hasNextPage && (
        <LoadMore isBusy={runs.isFetchingNextPage} onLoad={() => void runs.fetchNextPage()} />
      )}
    </Section>
  )
}
