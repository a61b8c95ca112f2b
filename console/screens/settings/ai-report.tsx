// What the AI agent's work came to. Each number has what it is a part of, and opens to its conversations.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { costOf, countOf, percentOf, secondsOf, tokensOf } from '../../state/amounts.ts'
import { dateOf } from '../../state/dates.ts'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import type { AiReport, EpisodeKind } from '../../state/types.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState, LoadProblem } from '../../ui/empty-state.tsx'
import { Select } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import { SidePage } from '../../ui/side-pages.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { rich, t } from '../../words/t.ts'
import { handOverWords } from '../inbox/ai-words.ts'
import { AiDrafts } from './ai-drafts.tsx'
import { AiEpisodes, type EpisodeFilter } from './ai-episodes.tsx'
import { AiSample } from './ai-sample.tsx'
import { BackLink } from './back-link.tsx'

const PERIODS = [7, 30, 90]
const PERIOD = 30

export const AiReportPage = () => {
  const api = useApi()
  const [days, setDays] = useState(PERIOD)
  const [filter, setFilter] = useState<EpisodeFilter | null>(null)
  const { data, error, refetch } = useQuery({
    queryKey: keys.aiReport(api.workspaceId, days),
    queryFn: ({ signal }) => api.get<AiReport>('/ai-report', { days }, signal),
    placeholderData: keepPreviousData,
  })
  const show = (next: Omit<EpisodeFilter, 'days'>) => setFilter({ ...next, days })
  return (
    <SidePage
      title={t`Results`}
      about={t`What became of the conversations that the AI agent took part in, by the day they began (UTC).`}
      back={<BackLink to="aiAgent" />}
      actions={
        <Select
          label={t`Period`}
          isLabelHidden
          value={String(days)}
          options={PERIODS.map((days) => ({ value: String(days), label: t`Last ${days} days` }))}
          onChange={({ target }) => setDays(Number(target.value))}
        />
      }
    >
      {error ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton lines={6} />
      ) : data.total.involved === 0 && data.drafts.written === 0 ? (
        <EmptyState title={t`Nothing to show yet`}>
          {t`Assign a conversation to the AI agent, and its results appear here.`}
        </EmptyState>
      ) : (
        <>
          <Rates report={data} onShow={show} />
          <AiSample />
          <AiDrafts drafts={data.drafts} />
          <Reasons report={data} onShow={show} />
          <Days report={data} onShow={show} />
        </>
      )}
      {filter && <AiEpisodes filter={filter} onClose={() => setFilter(null)} />}
    </SidePage>
  )
}

/** A day is the same wherever it is read. */
const dayWords = (day: string): string => dateOf(`${day}T12:00:00`)

type OnShow = (filter: Omit<EpisodeFilter, 'days'>) => void
type Total = AiReport['total']

/** What a number counts, what it is a part of, and what both are called. */
const RATES: {
  kind: EpisodeKind
  label: string
  hint: string
  value: (total: Total) => number
  of: (total: Total) => number
  ofWhat: string
}[] = [
  {
    kind: 'answered',
    label: t`Answered`,
    hint: t`At least one answer was sent.`,
    value: ({ answered }) => answered,
    of: ({ involved }) => involved,
    ofWhat: '',
  },
  {
    kind: 'confirmed',
    label: t`Confirmed as helpful`,
    hint: t`The customer said that it helped and wasn’t back within 7 days.`,
    value: ({ confirmed }) => confirmed,
    of: ({ answered }) => answered,
    ofWhat: 'answered',
  },
  {
    kind: 'assumed',
    label: t`Assumed helpful`,
    hint: t`Closed or silent for 3 days after an answer. Nobody said that it helped, so it isn’t part of “Confirmed”.`,
    value: ({ assumed }) => assumed,
    of: ({ answered }) => answered,
    ofWhat: 'answered',
  },
  {
    kind: 'handed_over',
    label: t`Handed over`,
    hint: t`Left to your team.`,
    value: ({ handedOver }) => handedOver,
    of: ({ involved }) => involved,
    ofWhat: '',
  },
  {
    kind: 'reopened',
    label: t`Back within 7 days`,
    hint: t`Counted as neither confirmed nor assumed.`,
    value: ({ reopened }) => reopened,
    of: ({ ended }) => ended,
    ofWhat: 'ended',
  },
  {
    kind: 'wrong',
    label: t`Marked as wrong`,
    hint: t`By your team. Counted as neither confirmed nor assumed.`,
    value: ({ wrong }) => wrong,
    of: ({ answered }) => answered,
    ofWhat: 'answered',
  },
]

const Rates = ({ report: { total, currency }, onShow }: { report: AiReport; onShow: OnShow }) => {
  const columns: Column<(typeof RATES)[number]>[] = [
    {
      id: 'label',
      head: t`Result`,
      cell: ({ label, hint }) => (
        <span className="stack stack--tight">
          <span>{label}</span>
          <span className="field__hint">{hint}</span>
        </span>
      ),
    },
    {
      id: 'value',
      head: t`Conversations`,
      align: 'end',
      cell: ({ kind, label, value, of, ofWhat }) => (
        <span>
          <Opens
            label={t`${label}: show conversations`}
            value={value(total)}
            onOpen={() => onShow({ kind, title: label })}
          />{' '}
          <span className="text-soft">
            {['of', countOf(of(total)), ofWhat, percentOf(value(total), of(total))].filter(Boolean).join(' ')}
          </span>
          {kind === 'assumed' && <Judged total={total} onShow={onShow} />}
        </span>
      ),
    },
  ]
  return (
    <Section title={t`Results`} about={factsOf(total, currency).join(' · ')}>
      <DataTable label={t`Results`} columns={columns} rows={RATES} keyOf={({ kind }) => kind} />
    </Section>
  )
}

/** How far the assumption can be trusted, as far as people have looked. */
const Judged = ({ total: { judged, judgedWrong }, onShow }: { total: Total; onShow: OnShow }) => {
  const right = judged - judgedWrong
  return judged === 0 ? null : (
    <span className="ai-judged">
      <Opens
        label={t`Assumed helpful and checked: show conversations`}
        value={judged}
        onOpen={() => onShow({ kind: 'judged', title: t`Checked by your team` })}
      />{' '}
      {rich`checked: ${countOf(right)} right ${percentOf(right, judged)},`}{' '}
      <Opens
        label={t`Checked and wrong: show conversations`}
        value={judgedWrong}
        onOpen={() => onShow({ kind: 'judged_wrong', title: t`Checked and wrong` })}
      />{' '}
      {t`wrong`}
    </span>
  )
}

const factsOf = (total: Total, currency: string | null): string[] => [
  total.involved === 1 ? t`1 conversation` : t`${countOf(total.involved)} conversations`,
  ...(total.tokens > 0 ? [tokensOf(total.tokens)] : []),
  ...(currency !== null && total.cost > 0 ? [costOf(total.cost, currency)] : []),
  ...(total.firstReplyMs !== null ? [t`first reply after ${secondsOf(total.firstReplyMs)} (median)`] : []),
  ...(total.handOverMs !== null ? [t`handed over after ${secondsOf(total.handOverMs)} (median)`] : []),
]

const Opens = ({ label, value, onOpen }: { label: string; value: number; onOpen: () => void }) =>
  value === 0 ? (
    <span className="text-soft numeric">0</span>
  ) : (
    <button
      type="button"
      className="ai-number numeric"
      aria-label={`${countOf(value)}, ${label}`}
      onClick={onOpen}
    >
      {countOf(value)}
    </button>
  )

const Reasons = ({ report: { reasons, total }, onShow }: { report: AiReport; onShow: OnShow }) => {
  if (reasons.length === 0) return null
  const columns: Column<(typeof reasons)[number]>[] = [
    { id: 'reason', head: t`Reason`, cell: ({ reason }) => handOverWords(reason) },
    {
      id: 'count',
      head: t`Conversations`,
      align: 'end',
      cell: ({ reason, count }) => (
        <span>
          <Opens
            label={t`${handOverWords(reason)}: show conversations`}
            value={count}
            onOpen={() =>
              onShow({ kind: 'handed_over', reason, title: t`Handed over: ${handOverWords(reason)}` })
            }
          />{' '}
          <span className="text-soft">
            {rich`of ${countOf(total.handedOver)} ${percentOf(count, total.handedOver)}`}
          </span>
        </span>
      ),
    },
  ]
  return (
    <Section title={t`Why it handed over`}>
      <DataTable label={t`Reasons`} columns={columns} rows={reasons} keyOf={({ reason }) => reason} />
    </Section>
  )
}

type Day = AiReport['byDay'][number]
const DAY_COLUMNS: { kind: EpisodeKind; head: string; value: (day: Day) => number }[] = [
  { kind: 'involved', head: t`All`, value: ({ involved }) => involved },
  { kind: 'answered', head: t`Answered`, value: ({ answered }) => answered },
  { kind: 'confirmed', head: t`Confirmed`, value: ({ confirmed }) => confirmed },
  { kind: 'assumed', head: t`Assumed`, value: ({ assumed }) => assumed },
  { kind: 'handed_over', head: t`Handed over`, value: ({ handedOver }) => handedOver },
  { kind: 'reopened', head: t`:returned:Back`, value: ({ reopened }) => reopened },
]

const Days = ({ report: { byDay, currency }, onShow }: { report: AiReport; onShow: OnShow }) => {
  const rows = byDay.filter(({ involved }) => involved > 0)
  const columns: Column<Day>[] = [
    { id: 'day', head: t`Day`, cell: ({ day }) => dayWords(day) },
    ...DAY_COLUMNS.map(
      ({ kind, head, value }): Column<Day> => ({
        id: kind,
        head,
        align: 'end',
        cell: (row) => (
          <Opens
            label={t`${head} on ${dayWords(row.day)}: show conversations`}
            value={value(row)}
            onOpen={() => onShow({ kind, day: row.day, title: `${head}, ${dayWords(row.day)}` })}
          />
        ),
      }),
    ),
    {
      id: 'tokens',
      head: t`Tokens`,
      align: 'end',
      hide: 'narrow',
      cell: ({ tokens }) => countOf(tokens),
    },
    ...(currency === null
      ? []
      : [
          {
            id: 'cost',
            head: t`Cost`,
            align: 'end' as const,
            cell: ({ cost }: Day) => costOf(cost, currency),
          },
        ]),
  ]
  return (
    <Section title={t`By day`}>
      <DataTable label={t`Days`} columns={columns} rows={rows} keyOf={({ day }) => day} />
    </Section>
  )
}
