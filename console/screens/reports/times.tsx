// How soon customers were answered, and how many conversations were open.
import { countOf } from '../../state/amounts.ts'
import type { Figure, Report, ReportTook } from '../../state/types.ts'
import { DayChart, type Series } from '../../ui/chart.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { t } from '../../words/t.ts'
import { ChartSection, Opens, type SectionProps, useShow } from './parts.tsx'
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

const SUMMARY_ROWS = [
  ['first', t`First reply`],
  ['next', t`Next reply`],
  ['automatic', t`Reply by a flow or the AI agent`],
  ['resolution', t`Time to close`],
] as const satisfies (readonly [Figure, string])[]

type Summary = { figure: (typeof SUMMARY_ROWS)[number][0]; name: string; took: ReportTook }

const SUMMARY: Column<Summary>[] = [
  { id: 'name', head: t`Time`, cell: ({ name }) => name },
  {
    id: 'count',
    head: t`Count`,
    align: 'end',
    cell: ({ figure, took: { count } }) => (
      <Opens value={count} filter={{ figure, title: FIGURE_WORDS[figure] }} />
    ),
  },
  { id: 'median', head: t`Median`, align: 'end', cell: ({ took }) => medianOf(took) },
  { id: 'p90', head: t`90% within`, align: 'end', cell: ({ took }) => tookWords(took.p90Ms) },
]

export const ReplyTimes = ({ report, filter }: SectionProps) => {
  const { totals, days } = report
  const { first, next, resolution, automatic } = totals
  const unitMs = unitFor(
    Math.max(...days.map(({ first, next }) => Math.max(first.medianMs ?? 0, next.medianMs ?? 0))),
  )
  return (
    <ChartSection
      title={t`Reply times`}
      about={t`Measured around the clock and counted on the day of the reply. Accurate to within 5%.`}
      table="days"
      filter={filter}
      chart={
        first.count + next.count + resolution.count + automatic.count === 0 ? (
          <EmptyState title={t`No replies in this period`}>
            {t`Reply to a customer in the inbox to see how long they waited.`}
          </EmptyState>
        ) : (
          <div className="stack">
            <DataTable
              label={t`Reply times`}
              columns={SUMMARY}
              rows={SUMMARY_ROWS.flatMap(([figure, name]) =>
                figure === 'automatic' && automatic.count === 0
                  ? []
                  : [{ figure, name, took: totals[figure] }],
              )}
              keyOf={({ figure }) => figure}
            />
            {first.count + next.count > 0 && (
              <DayChart
                kind="lines"
                label={t`Median reply times by day. First reply: ${medianOf(first)}. Next reply: ${medianOf(next)}`}
                rows={days}
                keyOf={({ day }) => day}
                tickOf={({ day }) => shortDay(day)}
                nameOf={({ day }) => dayWords(day)}
                series={repliesIn(unitMs)}
                format={(value) => tookWords(value * unitMs)}
              />
            )}
          </div>
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

/** Those that were open when the day ended. */
const openAtEnd = (day: string) =>
  ({ figure: 'open', from: day, to: day, title: t`Open at the end of ${dayWords(day)}` }) as const

export const Backlog = ({ report, filter }: SectionProps) => {
  const show = useShow()
  return (
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
          onOpen={({ day, backlog }) => backlog && show(openAtEnd(day))}
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
}

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
    cell: ({ day, backlog }) => (backlog === null ? null : <Opens value={backlog} filter={openAtEnd(day)} />),
  },
]
