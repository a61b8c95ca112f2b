// The tables of a report as CSV: RFC 4180, in UTF-8 with the byte order mark that Excel needs to recognise it.
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { csvCell } from '../csv-cell.ts'
import { getReport } from './report.ts'
import type { Goal, Report, ReportTable, TableQuery, Took } from './schema.ts'

const BYTE_ORDER_MARK = '\ufeff'
const LINE_END = '\r\n'

type Cell = string | number | null
type Table = { head: readonly string[]; rows: (report: Report) => Iterable<readonly Cell[]> }

const seconds = (ms: number | null): number | null => (ms === null ? null : Math.round(ms / 1000))
const took = ({ count, medianMs, p90Ms }: Took): Cell[] => [count, seconds(medianMs), seconds(p90Ms)]
const tookHead = (name: string): string[] => [`${name}, count`, `${name}, median (s)`, `${name}, p90 (s)`]
const goal = ({ met, missed, medianMs, p90Ms }: Goal): Cell[] => [
  met,
  missed,
  seconds(medianMs),
  seconds(p90Ms),
]
const goalHead = (name: string): string[] => [
  `${name} on time`,
  `${name} late`,
  `${name}, median counted time (s)`,
  `${name}, p90 counted time (s)`,
]
const rounded = (average: number | null): number | null =>
  average === null ? null : Math.round(average * 100) / 100

const TIMES_HEAD = [
  ...tookHead('First reply'),
  ...tookHead('Next reply'),
  ...tookHead('Resolution'),
  'Ratings',
  'Average rating',
  ...goalHead('First reply'),
  ...goalHead('Next reply'),
]
type Times = Pick<Report['totals'], 'first' | 'next' | 'resolution' | 'rating' | 'firstGoal' | 'nextGoal'>
const timesOf = ({ first, next, resolution, rating, firstGoal, nextGoal }: Times): Cell[] => [
  ...took(first),
  ...took(next),
  ...took(resolution),
  rating.count,
  rounded(rating.average),
  ...goal(firstGoal),
  ...goal(nextGoal),
]

const VOLUME = [
  ['conversations', 'New conversations'],
  ['inbound', 'Messages from customers'],
  ['person', 'Messages by people'],
  ['program', 'Messages by programs'],
  ['flow', 'Messages by flows'],
  ['ai', 'Messages by the AI agent'],
  ['broadcast', 'Broadcast messages'],
  ['closed', 'Closed'],
  ['reopened', 'Reopened'],
] as const
const VOLUME_HEAD = VOLUME.map(([, head]) => head)
const volumeOf = (row: Report['days'][number] | Report['channels'][number]): Cell[] =>
  VOLUME.map(([name]) => row[name])

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

const TABLES: Record<ReportTable, Table> = {
  days: {
    head: ['Day', ...VOLUME_HEAD, 'Open at the end', ...TIMES_HEAD],
    rows: ({ days }) => days.map((row) => [row.day, ...volumeOf(row), row.backlog, ...timesOf(row)]),
  },
  hours: {
    head: ['Weekday', 'Hour', 'New conversations', 'Messages from customers'],
    rows: ({ hours }) =>
      hours.map(({ weekday, hour, conversations, inbound }) => [
        WEEKDAYS[weekday - 1]!,
        hour,
        conversations,
        inbound,
      ]),
  },
  channels: {
    head: ['Channel', ...VOLUME_HEAD, 'Open now'],
    rows: ({ channels }) => channels.map((row) => [row.channel, ...volumeOf(row), row.open]),
  },
  people: {
    head: ['Name', 'Messages', ...TIMES_HEAD],
    rows: ({ people }) => people.map((row) => [row.name, row.messages, ...timesOf(row)]),
  },
  teams: {
    head: ['Team', ...TIMES_HEAD],
    rows: ({ teams }) => teams.map((row) => [row.name, ...timesOf(row)]),
  },
  ratings: {
    head: ['Rating', 'Count'],
    rows: ({ stars }) => stars.map((count, at) => [at + 1, count]),
  },
  broadcasts: {
    head: ['Name', 'Sent at', 'Recipients', 'Sent', 'Failed', 'Delivered', 'Read', 'Answered'],
    rows: ({ broadcasts }) =>
      broadcasts.map(({ name, at, recipients, sent, failed, delivered, read, answered }) => [
        name,
        at,
        recipients,
        sent,
        failed,
        delivered,
        read,
        answered,
      ]),
  },
}

const line = (cells: readonly Cell[]): string =>
  cells.map((cell) => csvCell(cell === null ? null : String(cell))).join(',') + LINE_END

type CsvExport = { fileName: string; lines: Iterable<string> }

/** One table, line by line. Throws as getReport. */
export const exportReport = async (ctx: Ctx, { table, ...query }: TableQuery): Promise<CsvExport> => {
  const report = await getReport(ctx, query)
  return {
    fileName: `report-${table}-${report.from}-${report.to}.csv`,
    lines: linesOf(TABLES[table], report),
  }
}

function* linesOf({ head, rows }: Table, report: Report): Generator<string> {
  yield BYTE_ORDER_MARK + line(head)
  for (const row of rows(report)) yield line(row)
}
