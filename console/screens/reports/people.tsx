// Who did it, how customers rated it, and what became of broadcasts.
import { Link } from '@tanstack/react-router'
import { countOf } from '../../state/amounts.ts'
import { dateOf } from '../../state/dates.ts'
import { useSession } from '../../state/session.tsx'
import type { Report } from '../../state/types.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Section } from '../../ui/page.tsx'
import { Progress } from '../../ui/progress.tsx'
import { t } from '../../words/t.ts'
import { Csv, Opens, type SectionProps } from './parts.tsx'
import { hasTargets } from './targets.tsx'
import { averageOf, bothGoals, FIGURE_WORDS, percentOf, tookWords } from './words.ts'

type Person = Report['people'][number]
type Team = Report['teams'][number]

/** How many, and the median. */
const timed = (
  of: 'person' | 'team',
  figure: 'first' | 'next' | 'resolution',
  head: string,
): Column<Person | Team> => ({
  id: figure,
  head,
  align: 'end',
  cell: ({ id, name, [figure]: { count, medianMs } }) => (
    <span>
      <Opens value={count} filter={{ figure, [of]: id, title: `${FIGURE_WORDS[figure]}, ${name}` }} />
      {medianMs !== null && <span className="text-soft"> · {tookWords(medianMs)}</span>}
    </span>
  ),
})

/** Of the replies with a target. */
const goalColumn = (of: 'person' | 'team', figure: 'met' | 'missed'): Column<Person | Team> => ({
  id: figure,
  head: figure === 'met' ? t`On time` : t`Missed`,
  align: 'end',
  cell: ({ id, name, ...row }) => (
    <Opens
      value={bothGoals(row)[figure]}
      filter={{ figure, [of]: id, title: `${FIGURE_WORDS[figure]}, ${name}` }}
    />
  ),
})

const columnsOf = (of: 'person' | 'team', head: string, gone: string): Column<Person | Team>[] => [
  {
    id: 'name',
    head,
    cell: ({ name, isRemoved }) => (
      <>
        <bdi>{name}</bdi>
        {isRemoved && <span className="text-soft"> · {gone}</span>}
      </>
    ),
  },
  timed(of, 'first', t`First replies · median`),
  timed(of, 'next', t`Next replies · median`),
  timed(of, 'resolution', t`Closed · median`),
  goalColumn(of, 'met'),
  goalColumn(of, 'missed'),
  {
    id: 'rating',
    head: t`Rating`,
    align: 'end',
    cell: ({ id, name, rating }) => (
      <Opens
        value={rating.count}
        text={averageOf(rating)}
        filter={{ figure: 'rating', [of]: id, title: t`Ratings, ${name}` }}
      />
    ),
  },
]

const [NAME, ...TIMES] = columnsOf('person', t`Name`, t`removed`)
const PEOPLE: Column<Person>[] = [
  NAME!,
  {
    id: 'messages',
    head: t`Messages`,
    align: 'end',
    cell: ({ id, name, messages }) => (
      <Opens
        value={messages}
        filter={{ figure: 'person', person: id, title: `${FIGURE_WORDS.person}, ${name}` }}
      />
    ),
  },
  ...TIMES,
]
const TEAMS: Column<Team>[] = columnsOf('team', t`Team`, t`deleted`)

/** Without the columns of targets where there are none. */
const fitting = <T extends Person | Team>(report: Report, columns: Column<T>[]): Column<T>[] =>
  hasTargets(report) ? columns : columns.filter(({ id }) => id !== 'met' && id !== 'missed')

export const People = ({ report, filter }: SectionProps) => (
  <Section
    title={t`People`}
    about={
      hasTargets(report)
        ? t`On time and missed: replies with a response target. A rating counts for whoever replied last.`
        : t`A rating counts for whoever replied last.`
    }
    actions={<Csv table="people" filter={filter} />}
  >
    <DataTable
      label={t`People`}
      columns={fitting(report, PEOPLE)}
      rows={report.people}
      keyOf={({ id }) => id}
      empty={<EmptyState title={t`Nobody has replied in this period`} />}
    />
  </Section>
)

export const Teams = ({ report, filter }: SectionProps) => (
  <Section
    title={t`Teams`}
    about={t`By the team that the conversation had when the day was counted.`}
    actions={<Csv table="teams" filter={filter} />}
  >
    <DataTable label={t`Teams`} columns={fitting(report, TEAMS)} rows={report.teams} keyOf={({ id }) => id} />
  </Section>
)

const ratedWords = (average: string, count: number): string =>
  count === 1
    ? t`${average} of 5 on average, from 1 rating.`
    : t`${average} of 5 on average, from ${countOf(count)} ratings.`

export const Ratings = ({ report: { stars, totals }, filter }: SectionProps) => {
  const { count } = totals.rating
  return (
    <Section
      title={t`Ratings`}
      about={count > 0 ? ratedWords(averageOf(totals.rating), count) : undefined}
      actions={<Csv table="ratings" filter={filter} />}
    >
      {count === 0 ? (
        <EmptyState
          title={t`No ratings in this period`}
          action={<ButtonLink to="/flows">{t`Open flows`}</ButtonLink>}
        >
          {t`Create a flow from the template “Satisfaction after closing” to ask customers for a rating.`}
        </EmptyState>
      ) : (
        <ul className="stack">
          {stars
            .map((value, at) => ({ rating: at + 1, value }))
            .reverse()
            .map(({ rating, value }) => (
              <li key={rating} className="row">
                <span className="numeric">{rating}</span>
                <div className="grow">
                  <Progress
                    label={t`Rated ${rating}`}
                    total={count}
                    parts={[{ tone: 'ok', value, label: String(rating) }]}
                    text={t`${countOf(value)} of ${countOf(count)}`}
                  />
                </div>
                <Opens value={value} filter={{ figure: 'rating', rating, title: t`Rated ${rating} of 5` }} />
              </li>
            ))}
        </ul>
      )}
    </Section>
  )
}

type Row = Report['broadcasts'][number]

/** "812 (67%)", which opens them. */
const outcome = (
  figure: 'sent' | 'delivered' | 'read' | 'answered',
  of: 'recipients' | 'sent',
): Column<Row> => ({
  id: figure,
  head: FIGURE_WORDS[figure],
  align: 'end',
  cell: ({ id, name, [figure]: value, [of]: all }) =>
    value === null ? (
      '–'
    ) : (
      <Opens
        value={value}
        text={all === 0 ? countOf(value) : `${countOf(value)} (${percentOf(value / all)})`}
        filter={{ figure, broadcast: id, title: `${FIGURE_WORDS[figure]}, ${name}` }}
      />
    ),
})

export const Broadcasts = ({ report: { broadcasts }, filter }: SectionProps) => {
  const { can } = useSession()
  const columns: Column<Row>[] = [
    {
      id: 'name',
      head: t`Broadcast`,
      cell: ({ id, name }) =>
        can('send_broadcasts') ? (
          <Link to="/broadcasts/$broadcastId" params={{ broadcastId: id }}>
            <bdi>{name}</bdi>
          </Link>
        ) : (
          <bdi>{name}</bdi>
        ),
    },
    { id: 'at', head: t`Date`, cell: ({ at }) => dateOf(at) },
    { id: 'recipients', head: t`Recipients`, align: 'end', cell: ({ recipients }) => countOf(recipients) },
    outcome('sent', 'recipients'),
    outcome('delivered', 'sent'),
    outcome('read', 'sent'),
    outcome('answered', 'sent'),
  ]
  return (
    <Section
      title={t`Broadcasts`}
      about={t`By the day they were created. Deliveries, reads and replies are updated every few minutes.`}
      actions={<Csv table="broadcasts" filter={filter} />}
    >
      <DataTable
        label={t`Broadcasts`}
        columns={columns}
        rows={broadcasts}
        keyOf={({ id }) => id}
        empty={
          <EmptyState
            title={t`No broadcasts in this period`}
            action={
              can('send_broadcasts') && <ButtonLink to="/broadcasts/new">{t`New broadcast`}</ButtonLink>
            }
          />
        }
      />
    </Section>
  )
}
