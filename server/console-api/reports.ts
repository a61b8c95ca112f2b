// What the team's work came to, the conversations behind each figure, and each table as CSV.
import { Readable } from 'node:stream'
import { listReportEntries } from '../domain/reports/list-entries.ts'
import { getReport } from '../domain/reports/report.ts'
import { exportReport } from '../domain/reports/report-csv.ts'
import {
  EntriesQuery,
  EntryList,
  Report,
  ReportQuery,
  TableQuery,
  TimeZoneAnswer,
  TimeZoneBody,
} from '../domain/reports/schema.ts'
import { setReportTimeZone } from '../domain/reports/set-time-zone.ts'
import type { App } from '../platform/http/api.ts'

const SEE = { permission: 'see_reports', reads: 'replica' } as const

export const registerReportsConsoleRoutes = (app: App): void => {
  app.get(
    '/reports',
    {
      config: SEE,
      schema: {
        operationId: 'consoleGetReport',
        summary: 'Get the figures of a period and of the one before',
        querystring: ReportQuery,
        response: { 200: Report },
      },
    },
    ({ ctx, query }) => getReport(ctx, query),
  )

  app.get(
    '/reports/entries',
    {
      config: SEE,
      schema: {
        operationId: 'consoleListReportEntries',
        summary: 'List the conversations behind a figure',
        querystring: EntriesQuery,
        response: { 200: EntryList },
      },
    },
    ({ ctx, query }) => listReportEntries(ctx, query),
  )

  app.get(
    '/reports/table.csv',
    {
      config: SEE,
      schema: {
        operationId: 'consoleExportReport',
        summary: 'Download a table of a report as CSV',
        querystring: TableQuery,
      },
    },
    async ({ ctx, query }, reply) => {
      const { fileName, lines } = await exportReport(ctx, query)
      reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="${fileName}"`)
      return reply.send(Readable.from(lines))
    },
  )

  app.put(
    '/reports/time-zone',
    {
      config: { permission: 'admin' },
      schema: {
        operationId: 'consoleSetReportTimeZone',
        summary: 'Set the time zone whose days reports count',
        body: TimeZoneBody,
        response: { 200: TimeZoneAnswer },
      },
    },
    ({ ctx, body }) => setReportTimeZone(ctx, body),
  )
}
