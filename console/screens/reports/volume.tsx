// How much came in and went out: by day, by hour of the week, and by channel.
import { Link } from '@tanstack/react-router'
import { countOf } from '../../state/amounts.ts'
import type { Figure, Report } from '../../state/types.ts'
import { ChannelIcon } from '../../ui/badge.tsx'
import { channelName } from '../../ui/channel-name.ts'
import { DayChart, type Series } from '../../ui/chart.tsx'
import { classNames } from '../../ui/class-names.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Section } from '../../ui/page.tsx'
import { t } from '../../words/t.ts'
import { ChartSection, Csv, Opens, type SectionProps, useShow } from './parts.tsx'
import { dayWords, FIGURE_WORDS, hourOf, longWeekdayOf, shortDay, weekdayOf } from './words.ts'

type Day = Report['days'][number]
type Channel = Report['channels'][number]

const MESSAGES: Series<Day>[] = [
  { id: 'inbound', label: t`Customers`, countIn: ({ inbound }) => inbound, tone: 1 },
  { id: 'person', label: t`People`, countIn: ({ person }) => person, tone: 2 },
  { id: 'automation', label: t`Flows and AI agent`, countIn: ({ flow, ai }) => flow + ai, tone: 3 },
  {
    id: 'others',
    label: t`API and broadcasts`,
    countIn: ({ program, broadcast }) => program + broadcast,
    tone: 5,
  },
]

const COUNTED = [
  ['conversations', t`New`],
  ['inbound', t`Customers`],
  ['person', t`People`],
  ['program', 'API'],
  ['flow', t`Flows`],
  ['ai', t`AI agent`],
  ['broadcast', t`Broadcasts`],
  ['closed', t`Closed`],
  ['reopened', t`Reopened`],
] as const satisfies (readonly [Figure, string])[]

const columnsOf = <T extends Record<(typeof COUNTED)[number][0], number>>(
  nameOf: (row: T) => string,
  filterOf: (row: T) => object,
): Column<T>[] =>
  COUNTED.map(([figure, head]) => ({
    id: figure,
    head,
    align: 'end',
    cell: (row) => (
      <Opens
        value={row[figure]}
        filter={{ figure, ...filterOf(row), title: `${FIGURE_WORDS[figure]}, ${nameOf(row)}` }}
      />
    ),
  }))

export const Messages = ({ report, filter }: SectionProps) => {
  const show = useShow()
  const { totals, days } = report
  const out = totals.person + totals.program + totals.flow + totals.ai + totals.broadcast
  return (
    <ChartSection
      title={t`Messages`}
      about={t`By the day they were written. Messages that failed aren’t counted.`}
      table="days"
      filter={filter}
      chart={
        <DayChart
          kind="bars"
          label={t`Messages by day: ${countOf(totals.inbound)} from customers, ${countOf(out)} sent`}
          rows={days}
          keyOf={({ day }) => day}
          tickOf={({ day }) => shortDay(day)}
          nameOf={({ day }) => dayWords(day)}
          series={MESSAGES}
          format={countOf}
          onOpen={({ day }) =>
            show({
              figure: 'inbound',
              from: day,
              to: day,
              title: `${FIGURE_WORDS.inbound}, ${dayWords(day)}`,
            })
          }
        />
      }
    >
      <DataTable
        label={t`Messages by day`}
        columns={[
          { id: 'day', head: t`Day`, cell: ({ day }) => dayWords(day) },
          ...columnsOf<Day>(
            ({ day }) => dayWords(day),
            ({ day }) => ({ from: day, to: day }),
          ),
        ]}
        rows={[...days].reverse()}
        keyOf={({ day }) => day}
      />
    </ChartSection>
  )
}

export const Channels = ({ report, filter }: SectionProps) => (
  <Section
    title={t`Channels`}
    about={t`New conversations, messages by who wrote them, and conversations that were closed or reopened.`}
    actions={<Csv table="channels" filter={filter} />}
  >
    <DataTable
      label={t`Channels`}
      columns={[
        {
          id: 'channel',
          head: t`Channel`,
          cell: ({ channel }) => (
            <span className="row">
              <ChannelIcon channel={channel} /> {channelName(channel)}
            </span>
          ),
        },
        ...columnsOf<Channel>(
          ({ channel }) => channelName(channel),
          ({ channel }) => ({ channel }),
        ),
        { id: 'open', head: t`Open now`, align: 'end', cell: OpenNow },
      ]}
      rows={report.channels}
      keyOf={({ channel }) => channel}
      empty={<EmptyState title={t`No messages in this period`} />}
    />
  </Section>
)

const OpenNow = ({ channel, open }: Channel) =>
  open === 0 ? (
    <span className="text-soft numeric">{countOf(open)}</span>
  ) : (
    <Link
      to="/inbox/$view"
      params={{ view: 'open' }}
      search={{ channel }}
      className="ai-number numeric"
      aria-label={t`${countOf(open)} open on ${channelName(channel)}: show in inbox`}
    >
      {countOf(open)}
    </Link>
  )

const WEEKDAYS = [1, 2, 3, 4, 5, 6, 7]
const HOURS = Array.from({ length: 24 }, (_, hour) => hour)

/** Three shades, by how near to the busiest hour. */
const shadeOf = (count: number, top: number): number =>
  count === 0 ? 0 : Math.min(3, Math.ceil((count / top) * 3))

export const Week = ({ report, filter }: SectionProps) => {
  const show = useShow()
  const counts = new Map(report.hours.map(({ weekday, hour, inbound }) => [`${weekday} ${hour}`, inbound]))
  const top = Math.max(1, ...counts.values())
  return (
    <Section
      title={t`When customers write`}
      about={t`Messages from customers by hour, in ${report.timeZone}.`}
      actions={<Csv table="hours" filter={filter} />}
    >
      <table className="week">
        <thead>
          <tr>
            <td />
            {WEEKDAYS.map((weekday) => (
              <th key={weekday} scope="col">
                {weekdayOf(weekday)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {HOURS.map((hour) => (
            <tr key={hour}>
              <th scope="row">{hourOf(hour)}</th>
              {WEEKDAYS.map((weekday) => {
                const count = counts.get(`${weekday} ${hour}`) ?? 0
                const title = `${FIGURE_WORDS.inbound}, ${longWeekdayOf(weekday)}, ${hourOf(hour)}`
                return (
                  <td
                    key={weekday}
                    className={classNames('week__cell', `week__cell--${shadeOf(count, top)}`)}
                  >
                    {count > 0 && (
                      <button
                        type="button"
                        aria-label={t`${countOf(count)}, ${title}: show conversations`}
                        onClick={() => show({ figure: 'inbound', weekday, hour, title })}
                      >
                        {countOf(count)}
                      </button>
                    )}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  )
}
