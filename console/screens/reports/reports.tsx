// What the team's work came to in a period. Every figure opens its conversations.

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { CHANNELS } from '../../../channels/names.ts'
import { keys } from '../../state/query-keys.ts'
import { useSession } from '../../state/session.tsx'
import type { Report } from '../../state/types.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { channelName } from '../../ui/channel-name.ts'
import { EmptyState, LoadProblem } from '../../ui/empty-state.tsx'
import { Select, TextField } from '../../ui/field.tsx'
import { Page } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { t } from '../../words/t.ts'
import type { EntriesFilter } from './entries.tsx'
import { type Show, ShowContext } from './parts.tsx'
import { Broadcasts, People, Ratings, Teams } from './people.tsx'
import {
  customOf,
  daysOf,
  filterOf,
  PERIODS,
  type ReportFilter,
  type ReportSearch,
  todayHere,
} from './period.ts'
import { Targets } from './targets.tsx'
import { Backlog, ReplyTimes } from './times.tsx'
import { Totals } from './totals.tsx'
import { Channels, Messages, Week } from './volume.tsx'

const Entries = lazy(() => import('./entries.tsx').then(({ Entries }) => ({ default: Entries })))
const TimeZone = lazy(() => import('./time-zone.tsx').then(({ TimeZone }) => ({ default: TimeZone })))

const FRESH_MS = 60_000
/** While days are being counted, the report is asked for again. */
const PENDING_MS = 5_000

export const Reports = () => {
  const { api, isAdmin } = useSession()
  const search: ReportSearch = useSearch({ from: '/signed/reports' })
  const filter = filterOf(search, CHANNELS)
  const [entries, setEntries] = useState<EntriesFilter | null>(null)
  const [isZoneOpen, setZoneOpen] = useState(false)
  const { data, error, refetch, isPlaceholderData } = useQuery({
    queryKey: keys.report(api.workspaceId, filter),
    queryFn: ({ signal }) => api.get<Report>('/reports', filter, signal),
    placeholderData: keepPreviousData,
    staleTime: FRESH_MS,
    refetchInterval: ({ state }) => ((state.data?.pendingDays ?? 0) > 0 ? PENDING_MS : false),
  })
  const show: Show = (next) => setEntries({ ...filter, ...next })
  return (
    <Page
      title={t`Reports`}
      about={data && t`Days begin at midnight in ${data.timeZone.replaceAll('_', ' ')}.`}
      actions={
        <>
          <PeriodChoice search={search} filter={filter} />
          {isAdmin && data && (
            <Button variant="ghost" onClick={() => setZoneOpen(true)}>
              {t`Time zone`}
            </Button>
          )}
        </>
      }
    >
      {error ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton lines={12} />
      ) : (
        <ShowContext value={show}>
          <div className="stack stack--fields" aria-busy={isPlaceholderData || undefined}>
            <Sections report={data} filter={filter} />
          </div>
        </ShowContext>
      )}
      <Suspense fallback={null}>
        {entries && <Entries filter={entries} onClose={() => setEntries(null)} />}
        {isZoneOpen && data && <TimeZone timeZone={data.timeZone} onClose={() => setZoneOpen(false)} />}
      </Suspense>
    </Page>
  )
}

const isEmpty = ({ totals, before, open }: Report): boolean =>
  open === 0 &&
  [totals, before.totals].every((one) => one.conversations + one.inbound + one.person + one.broadcast === 0)

const Sections = ({ report, filter }: { report: Report; filter: ReportFilter }) => {
  const { isAdmin } = useSession()
  const pending =
    report.pendingDays > 0 ? (
      <Banner tone="plain">
        {report.pendingDays === 1
          ? t`1 day is still being counted. Figures will be complete in a moment.`
          : t`${report.pendingDays} days are still being counted. Figures will be complete in a moment.`}
      </Banner>
    ) : null
  if (isEmpty(report))
    return (
      pending ?? (
        <EmptyState
          title={t`No conversations in this period`}
          action={isAdmin && <ButtonLink to="/settings/channels">{t`Open channels`}</ButtonLink>}
        >
          {t`Choose another period or channel. Figures appear here as soon as customers write to a connected channel.`}
        </EmptyState>
      )
    )
  const own = { report, filter }
  return (
    <>
      {pending}
      <Totals {...own} />
      <Messages {...own} />
      <ReplyTimes {...own} />
      <Targets {...own} />
      <Backlog {...own} />
      <People {...own} />
      {report.teams.length > 0 && <Teams {...own} />}
      <Channels {...own} />
      <div className="grid-2">
        <Week {...own} />
        <Ratings {...own} />
      </div>
      <Broadcasts {...own} />
    </>
  )
}

const CUSTOM = 'custom'

/** Last so many days, or from one day to another; and which channel. */
const PeriodChoice = ({ search, filter }: { search: ReportSearch; filter: ReportFilter }) => {
  const navigate = useNavigate({ from: '/reports' })
  const set = (next: ReportSearch) =>
    void navigate({ search: { channel: search.channel, ...next }, replace: true })
  const custom = customOf(search)
  const setDay = (next: Partial<{ from: string; to: string }>) => {
    const period = { from: filter.from, to: filter.to, ...next }
    // What is cleared or would end before it begins waits for the other day.
    if (!period.from || !period.to) return
    set(period.from <= period.to ? period : { from: next.from ?? period.to, to: next.from ?? period.to })
  }
  return (
    <>
      <Select
        label={t`Period`}
        isLabelHidden
        value={custom ? CUSTOM : String(daysOf(search))}
        options={[
          ...PERIODS.map((days) => ({ value: String(days), label: t`Last ${days} days` })),
          { value: CUSTOM, label: t`Custom` },
        ]}
        onChange={({ target }) =>
          set(target.value === CUSTOM ? { from: filter.from, to: filter.to } : { days: Number(target.value) })
        }
      />
      {custom && (
        <>
          <TextField
            label={t`From`}
            isLabelHidden
            type="date"
            value={custom.from}
            max={todayHere()}
            onChange={({ target }) => setDay({ from: target.value })}
          />
          <TextField
            label={t`To`}
            isLabelHidden
            type="date"
            value={custom.to}
            max={todayHere()}
            onChange={({ target }) => setDay({ to: target.value })}
          />
        </>
      )}
      <Select
        label={t`Channel`}
        isLabelHidden
        value={filter.channel ?? ''}
        options={[
          { value: '', label: t`All channels` },
          ...CHANNELS.map((channel) => ({ value: channel, label: channelName(channel) })),
        ]}
        onChange={({ target }) => {
          const { channel: _, ...period } = search
          void navigate({
            search: { ...period, ...(target.value && { channel: target.value }) },
            replace: true,
          })
        }}
      />
    </>
  )
}
