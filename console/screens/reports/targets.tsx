// How many replies came within the workspace's response times, and how many were late.
import { useSession } from '../../state/session.tsx'
import type { Report, ReportGoal } from '../../state/types.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { DayChart, type Series } from '../../ui/chart.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Section } from '../../ui/page.tsx'
import { t } from '../../words/t.ts'
import { ChartSection, Opens, type SectionProps } from './parts.tsx'
import { dayWords, FIGURE_WORDS, percentOf, shareOf, shortDay, tookWords } from './words.ts'

type Day = Report['days'][number]
type Reply = { reply: 'first' | 'next'; name: string; goal: ReportGoal }

const MINUTE_MS = 60_000

/** Whether the report has anything to say about targets. */
export const hasTargets = ({ targets, totals }: Report): boolean =>
  targets !== null || [totals.firstGoal, totals.nextGoal].some(({ met, missed }) => met + missed > 0)

const promiseOf = (targets: NonNullable<Report['targets']>): string => {
  const { firstMinutes, nextMinutes } = targets
  const first = firstMinutes === null ? null : tookWords(firstMinutes * MINUTE_MS)
  const next = nextMinutes === null ? null : tookWords(nextMinutes * MINUTE_MS)
  if (first && next) return t`First reply within ${first}, next replies within ${next}.`
  if (first) return t`First reply within ${first}.`
  if (next) return t`Next replies within ${next}.`
  return t`Set for each team.`
}

/** Which clock counts. */
const clockOf = ({ hours }: NonNullable<Report['targets']>): string =>
  hours === null
    ? t`Time in which a conversation was snoozed isn’t counted.`
    : t`Only time during “${hours}” is counted, except while a conversation was snoozed.`

const SUMMARY: Column<Reply>[] = [
  { id: 'name', head: t`Reply`, cell: ({ name }) => name },
  { id: 'share', head: t`Share on time`, align: 'end', cell: ({ goal }) => percentOf(shareOf(goal)) },
  ...(['met', 'missed'] as const).map(
    (figure): Column<Reply> => ({
      id: figure,
      head: figure === 'met' ? t`On time` : t`Missed`,
      align: 'end',
      cell: ({ reply, name, goal }) => (
        <Opens value={goal[figure]} filter={{ figure, reply, title: `${FIGURE_WORDS[figure]}, ${name}` }} />
      ),
    }),
  ),
  {
    id: 'median',
    head: t`Median, counted time`,
    align: 'end',
    cell: ({ goal }) => tookWords(goal.medianMs),
  },
  {
    id: 'p90',
    head: t`90% within, counted time`,
    align: 'end',
    cell: ({ goal }) => tookWords(goal.p90Ms),
  },
]

const SHARES: Series<Day>[] = [
  { id: 'first', label: t`First replies on time`, countIn: ({ firstGoal }) => shareOf(firstGoal), tone: 1 },
  { id: 'next', label: t`Next replies on time`, countIn: ({ nextGoal }) => shareOf(nextGoal), tone: 2 },
]

const DAY_COLUMNS: Column<Day>[] = [
  { id: 'day', head: t`Day`, cell: ({ day }) => dayWords(day) },
  ...(
    [
      ['first', 'met', t`First replies on time`],
      ['first', 'missed', t`Missed`],
      ['next', 'met', t`Next replies on time`],
      ['next', 'missed', t`Missed`],
    ] as const
  ).map(
    ([reply, figure, head]): Column<Day> => ({
      id: `${reply} ${figure}`,
      head,
      align: 'end',
      cell: ({ day, [`${reply}Goal` as const]: goal }) => (
        <Opens
          value={goal[figure]}
          filter={{
            figure,
            reply,
            from: day,
            to: day,
            title: `${FIGURE_WORDS[figure]}, ${dayWords(day)}`,
          }}
        />
      ),
    }),
  ),
]

export const Targets = ({ report, filter }: SectionProps) => {
  const { isAdmin } = useSession()
  const { totals, days, targets } = report
  if (!hasTargets(report))
    return (
      <Section title={t`Response targets`}>
        <EmptyState
          title={t`No response targets`}
          action={isAdmin && <ButtonLink to="/settings/teams">{t`Set response times`}</ButtonLink>}
        >
          {t`Set how soon customers should get a reply to see how often you meet it.`}
        </EmptyState>
      </Section>
    )
  const { firstGoal, nextGoal } = totals
  const about = targets ? `${promiseOf(targets)} ${clockOf(targets)}` : t`No targets are set anymore.`
  return (
    <ChartSection
      title={t`Response targets`}
      about={about}
      table="days"
      filter={filter}
      chart={
        firstGoal.met + firstGoal.missed + nextGoal.met + nextGoal.missed === 0 ? (
          <EmptyState title={t`No replies with a target in this period`} />
        ) : (
          <div className="stack">
            <DataTable
              label={t`Replies on time`}
              columns={SUMMARY}
              rows={[
                { reply: 'first', name: t`First reply`, goal: firstGoal },
                { reply: 'next', name: t`Next reply`, goal: nextGoal },
              ]}
              keyOf={({ reply }) => reply}
            />
            <DayChart
              kind="lines"
              label={t`Share of replies on time by day. First replies: ${percentOf(shareOf(firstGoal))}. Next replies: ${percentOf(shareOf(nextGoal))}`}
              rows={days}
              keyOf={({ day }) => day}
              tickOf={({ day }) => shortDay(day)}
              nameOf={({ day }) => dayWords(day)}
              series={SHARES}
              format={percentOf}
              top={1}
            />
          </div>
        )
      }
    >
      <DataTable
        label={t`Replies on time by day`}
        columns={DAY_COLUMNS}
        rows={[...days].reverse()}
        keyOf={({ day }) => day}
      />
    </ChartSection>
  )
}
