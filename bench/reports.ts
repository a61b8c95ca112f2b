// `npm run bench:reports`: the console's reports at three million messages, over HTTP as a person's browser asks for them,
// after the server itself has stored all days; and how long storing them takes. BENCH_DIR keeps the data set for the next
// run, and BENCH_SIZE chooses its size; see data-set-place.ts.
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { describeSizes, onDataSet, SIZES } from './data-set-place.ts'
import { log, type Server } from './foyer.ts'
import { median, once } from './load.ts'
import { IS_TRIAL, loadBefore, producedBy, writeResults } from './measured.ts'

const REPEATS = 7
const GOAL_MS = 1_000
const DAY_MS = 86_400_000
const STORED_MAX_MS = 60 * 60_000

const dayBefore = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10)
const period = (days: number): string => `from=${dayBefore(days - 1)}&to=${dayBefore(0)}`

const CALLS = [
  ['7 days and the 7 before', `/reports?${period(7)}`],
  ['28 days and the 28 before', `/reports?${period(28)}`],
  ['90 days and the 90 before', `/reports?${period(90)}`],
  ['90 days of one channel', `/reports?${period(90)}&channel=whatsapp`],
  ['366 days and the 366 before', `/reports?${period(366)}`],
  ['messages behind a figure of 90 days', `/reports/entries?${period(90)}&figure=inbound`],
  ['first replies behind it', `/reports/entries?${period(90)}&figure=first`],
  ['closings behind it', `/reports/entries?${period(90)}&figure=resolution`],
  ['messages of an hour of the week', `/reports/entries?${period(90)}&figure=inbound&weekday=7&hour=4`],
] as const

const measure = async (server: Server, workspaceId: string, cookie: string): Promise<string[]> => {
  const table = ['| Call | median ms | slowest ms | bytes |', '|---|---:|---:|---:|']
  for (const [name, path] of CALLS) {
    const times: number[] = []
    let bytes = 0
    for (let repeat = 0; repeat < REPEATS; repeat++) {
      const { ms, body } = await once(server.port, {
        method: 'GET',
        path: `/console/api/workspaces/${workspaceId}${path}`,
        headers: { Cookie: cookie },
      })
      times.push(ms)
      bytes = body.length
    }
    const figures = [median(times).toFixed(0), Math.max(...times).toFixed(0), bytes.toLocaleString('en-US')]
    table.push(`| ${name} | ${figures.join(' | ')} |`)
    log(table.at(-1)!)
  }
  return table
}

/** Until the server has stored all days of the workspace. */
const untilStored = async (client: pg.Client, workspaceId: string): Promise<number> => {
  const startedMs = Date.now()
  for (;;) {
    const { rows } = await client.query<{ is: boolean; first: string }>(
      `select first_day <= begins_on as is, first_day::text as first from report_states where workspace_id = $1`,
      [workspaceId],
    )
    if (rows[0]?.is) return Date.now() - startedMs
    if (Date.now() - startedMs > STORED_MAX_MS) throw new Error(`stored back to ${rows[0]?.first} only`)
    await delay(500)
  }
}

await onDataSet('reports', SIZES, async ({ workspaceId, client, cookie, postgres, start }) => {
  await client.query('delete from report_states')
  const busy = loadBefore()
  const server = await start()
  const storedMs = await untilStored(client, workspaceId)
  const { rows: stored } = await client.query<{ days: number; hours: number; times: number }>(
    `select count(distinct day)::integer as days, count(*)::integer as hours,
       (select count(*)::integer from report_times where workspace_id = $1) as times
     from report_hours where workspace_id = $1`,
    [workspaceId],
  )
  const { days, hours, times } = stored[0]!
  const table = await measure(server, workspaceId, cookie)
  writeResults('results-reports', IS_TRIAL, [
    '# Reports, measured',
    '',
    producedBy({
      script: 'bench:reports',
      postgres,
      shared: 'One Foyer process, PostgreSQL and this script',
      busy,
      caveat: 'so the times are too long.',
    }),
    '',
    `Data: ${describeSizes(SIZES)} in two years (\`bench/data-set.ts\`). Each call ran ${REPEATS} times, one at a time on a new connection. The goal is ${GOAL_MS.toLocaleString('en-US')} ms for 90 days.`,
    '',
    ...table,
    '',
    `The server stored ${days} days in ${(storedMs / 1000).toFixed(0)} s after its start, ${(storedMs / days).toFixed(0)} ms for a day: ${hours.toLocaleString('en-US')} rows by hour and ${times.toLocaleString('en-US')} of times. The job begins with the first minute and stops after 45 s of each.`,
    '',
  ])
})
