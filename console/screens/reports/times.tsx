// How soon customers were answered, and how many conversations were open.
import { countOf } from '../../state/amounts.ts'
import type { Figure, Report } from '../../state/types.ts'
import { DayChart, type Series } from '../../ui/chart.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { t } from '../../words/t.ts'
import { ChartSection, Opens, type SectionProps } from './parts.tsx'
import { dayWords, FIGURE_WORDS, medianOf, shortDay, tookWords, unitFor } from './words.ts'

type Day = Report['days'][number]

/** In a unit, so that the axis has round numbers of it. */
const repliesIn = (unitMs: number): Series<Day>[] => {
  const inUnit = (ms: number | null) => (ms === null ? null : ms / unitMs)
  return [
    { id: 'first', label: t`First reply`, countIn: ({ first }) => inUnit(first.medianMs), tone: 1 },
    { id: 'next', label: t`Next reply`, countIn: ({ next }) => inUnit(next.medianMs), tone: 2 },
  ]
}

const TIMES = [
  ['first', t`First replies`],
  ['next', t`Next replies`],
  ['resolution', t`Closed`],
] as const satisfies (readonly [Figure, string])[]

const timeColumns = TIMES.flatMap(([figure, head]): Column<Day>[] => [
  {
    id: figure,
    head,
    align: 'end',
    cell: ({ day, [figure]: { count } }) => (
      <Opens
        value={count}
        filter={{ figure, from: day, to: day, title: `${FIGURE_WORDS[figure]}, ${dayWords(day)}` }}
      />
    ),
  },
  {
    id: `${figure} median`,
    head: t`Median`,
    align: 'end',
    cell: ({ [figure]: { medianMs } }) => tookWords(medianMs),
  },
  {
    id: `${figure} p90`,
    head: t`90% within`,
    align: 'end',
    cell: ({ [figure]: { p90Ms } }) => tookWords(p90Ms),
  },
])

export const ReplyTimes = ({ report, filter }: SectionProps) => {
  const { totals, days } = report
  const { first, next, resolution, automatic } = totals
  const unitMs = unitFor(
    Math.max(...days.map(({ first, next }) => Math.max(first.medianMs ?? 0, next.medianMs ?? 0))),
  )
  const facts = [
    t`First reply: median ${medianOf(first)}, 90% within ${tookWords(first.p90Ms)}`,
    t`next reply: median ${medianOf(next)}, 90% within ${tookWords(next.p90Ms)}`,
    `closed: median ${medianOf(resolution)}, 90% within ${tookWords(resolution.p90Ms)}`,
    ...(automatic.count > 0 ? [t`flows and the AI agent: median ${medianOf(automatic)}`] : []),
  ]
  return (
    <ChartSection
      title={t`Reply times`}
      about={
        first.count + next.count + resolution.count + automatic.count > 0
          ? `${facts.join(' · ')}.`
          : t`Replies by people, by the day they were sent.`
      }
      table="days"
      filter={filter}
      chart={
        first.count + next.count === 0 ? (
          <EmptyState title={t`No replies in this period`}>
            {t`Reply to a customer in the inbox, and how long they waited appears here.`}
          </EmptyState>
        ) : (
          <DayChart
            kind="lines"
            label={t`Median reply times by day. ${facts.join('. ')}`}
            rows={days}
            keyOf={({ day }) => day}
            tickOf={({ day }) => shortDay(day)}
            nameOf={({ day }) => dayWords(day)}
            series={repliesIn(unitMs)}
            format={(value) => tookWords(value * unitMs)}
          />
        )
      }
    >
      <DataTable
        label={t`Reply times by day`}
        columns={[{ id: 'day', head: t`Day`, cell: ({ day }) => dayWords(day) }, ...timeColumns]}
        rows={[...days].reverse()}
        keyOf={({ day }) => day}
      />
    </ChartSection>
  )
}

const BACKLOG: Series<Day>[] = [
  { id: 'backlog', label: t`Open at the end of the day`, countIn: ({ backlog }) => backlog, tone: 1 },
]

export const Backlog = ({ report, filter }: SectionProps) => (
  <ChartSection
    title={t`Open conversations`}
    about={t`${countOf(report.open)} are open now.`}
    table="days"
    filter={filter}
    chart={
      <DayChart
        kind="lines"
        label={t`Open conversations at the end of each day; ${countOf(report.open)} are open now`}
        rows={report.days}
        keyOf={({ day }) => day}
        tickOf={({ day }) => shortDay(day)}
        nameOf={({ day }) => dayWords(day)}
        series={BACKLOG}
        format={countOf}
      />
    }
  >
    <DataTable
      label={t`Open conversations by day`}
      columns={BACKLOG_COLUMNS}
      rows={[...report.days].reverse()}
      keyOf={({ day }) => day}
    />
  </ChartSection>
)

const BACKLOG_COLUMNS: Column<Day>[] = [
  { id: 'day', head: t`Day`, cell: ({ day }) => dayWords(day) },
  ...(['conversations', 'reopened', 'closed'] as const).map(
    (figure): Column<Day> => ({
      id: figure,
      head: FIGURE_WORDS[figure],
      align: 'end',
      cell: ({ day, [figure]: count }) => (
        <Opens
          value={count}
          filter={{ figure, from: day, to: day, title: `${FIGURE_WORDS[figure]}, ${dayWords(day)}` }}
        />
      ),
    }),
  ),
  {
    id: 'backlog',
    head: t`Open at the end`,
    align: 'end',
    cell: ({ backlog }) => (backlog === null ? null : countOf(backlog)),
  },
]
