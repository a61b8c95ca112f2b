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
import { LOCALE } from '../../words/locale.ts'
import { Csv, Opens, type SectionProps } from './parts.tsx'
import { averageOf, FIGURE_WORDS, tookWords } from './words.ts'

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

const columnsOf = (of: 'person' | 'team', head: string): Column<Person | Team>[] => [
  { id: 'name', head, cell: ({ name }) => <bdi>{name}</bdi> },
  timed(of, 'first', 'First replies · median'),
  timed(of, 'next', 'Next replies · median'),
  timed(of, 'resolution', 'Closed · median'),
  {
    id: 'rating',
    head: 'Rating',
    align: 'end',
    cell: ({ id, name, rating }) => (
      <Opens
        value={rating.count}
        text={averageOf(rating)}
        filter={{ figure: 'rating', [of]: id, title: `Ratings, ${name}` }}
      />
    ),
  },
]

const [NAME, ...TIMES] = columnsOf('person', 'Name')
const PEOPLE: Column<Person>[] = [
  NAME!,
  {
    id: 'messages',
    head: 'Messages',
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
const TEAMS: Column<Team>[] = columnsOf('team', 'Team')

export const People = ({ report, filter }: SectionProps) => (
  <Section
    title="People"
    about="A rating counts for whoever replied last."
    actions={<Csv table="people" filter={filter} />}
  >
    <DataTable
      label="People"
      columns={PEOPLE}
      rows={report.people}
      keyOf={({ id }) => id}
      empty={<EmptyState title="Nobody has replied in this period" />}
    />
  </Section>
)

export const Teams = ({ report, filter }: SectionProps) => (
  <Section
    title="Teams"
    about="By the team that the conversation had when the day was counted."
    actions={<Csv table="teams" filter={filter} />}
  >
    <DataTable label="Teams" columns={TEAMS} rows={report.teams} keyOf={({ id }) => id} />
  </Section>
)

export const Ratings = ({ report: { stars, totals }, filter }: SectionProps) => {
  const { count } = totals.rating
  return (
    <Section
      title="Ratings"
      about={count > 0 ? `${averageOf(totals.rating)} of 5 on average, from ${countOf(count)}.` : undefined}
      actions={<Csv table="ratings" filter={filter} />}
    >
      {count === 0 ? (
        <EmptyState
          title="No ratings in this period"
          action={<ButtonLink to="/flows">Open flows</ButtonLink>}
        >
          Create a flow from the template “Satisfaction after closing” to ask customers for a rating.
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
                    label={`Rated ${rating}`}
                    total={count}
                    parts={[{ tone: 'ok', value, label: String(rating) }]}
                    text={`${countOf(value)} of ${countOf(count)}`}
                  />
                </div>
                <Opens value={value} filter={{ figure: 'rating', rating, title: `Rated ${rating} of 5` }} />
              </li>
            ))}
        </ul>
      )}
    </Section>
  )
}

type Row = Report['broadcasts'][number]

/** "812 (67%)" */
const partOf = (value: number | null, of: number): string =>
  value === null
    ? '–'
    : of === 0
      ? countOf(value)
      : `${countOf(value)} (${new Intl.NumberFormat(LOCALE, { style: 'percent' }).format(value / of)})`

export const Broadcasts = ({ report: { broadcasts }, filter }: SectionProps) => {
  const { can } = useSession()
  const columns: Column<Row>[] = [
    {
      id: 'name',
      head: 'Broadcast',
      cell: ({ id, name }) =>
        can('send_broadcasts') ? (
          <Link to="/broadcasts/$broadcastId" params={{ broadcastId: id }}>
            <bdi>{name}</bdi>
          </Link>
        ) : (
          <bdi>{name}</bdi>
        ),
    },
    { id: 'at', head: 'Date', cell: ({ at }) => dateOf(at) },
    { id: 'recipients', head: 'Recipients', align: 'end', cell: ({ recipients }) => countOf(recipients) },
    { id: 'sent', head: 'Sent', align: 'end', cell: ({ sent, recipients }) => partOf(sent, recipients) },
    {
      id: 'delivered',
      head: 'Delivered',
      align: 'end',
      cell: ({ delivered, sent }) => partOf(delivered, sent),
    },
    { id: 'read', head: 'Read', align: 'end', cell: ({ read, sent }) => partOf(read, sent) },
    { id: 'answered', head: 'Answered', align: 'end', cell: ({ answered, sent }) => partOf(answered, sent) },
  ]
  return (
    <Section
      title="Broadcasts"
      about="By the day they were created. What became of them is counted every few minutes."
      actions={<Csv table="broadcasts" filter={filter} />}
    >
      <DataTable
        label="Broadcasts"
        columns={columns}
        rows={broadcasts}
        keyOf={({ id }) => id}
        empty={
          <EmptyState
            title="No broadcasts in this period"
            action={can('send_broadcasts') && <ButtonLink to="/broadcasts/new">New broadcast</ButtonLink>}
          />
        }
      />
    </Section>
  )
}
