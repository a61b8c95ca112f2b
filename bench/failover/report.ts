// bench/results-failover.md.
import { writeFileSync } from 'node:fs'
import { median } from '../load.ts'
import type { Seen, Verdict } from './check.ts'
import { PATRONI_SETTINGS, POSTGRES_SETTINGS } from './cluster.ts'

export type Outage = {
  name: string
  /** The longest time without an acknowledged write through Foyer. */
  foyerMs: number
  /** The same for single statements through HAProxy. */
  databaseMs: number
  isFailover: boolean
}

type Report = {
  minutes: number
  seed: number
  machine: string
  versions: string
  outages: readonly Outage[]
  verdicts: readonly Verdict[]
  seen: Seen
  left: string
  failedStarts: number
  /** How often Patroni had to be restarted by hand. */
  repairs: number
}

/** What a failover may cost. */
export const FAILOVER_MAX_MS = 15_000

const seconds = (ms: number): string => (ms / 1_000).toFixed(1)

const tableOfOutages = (outages: readonly Outage[]): string[] => [
  '| What happened | Times | Failovers | Without writes, median (s) | Longest (s) | Of which the database, longest (s) |',
  '|---|---:|---:|---:|---:|---:|',
  ...[...Map.groupBy(outages, ({ name }) => name)].sort().map(([name, all]) => {
    const times = all.map(({ foyerMs }) => foyerMs)
    const failovers = all.filter(({ isFailover }) => isFailover).length
    const database = Math.max(...all.map(({ databaseMs }) => databaseMs))
    return `| ${name} | ${all.length} | ${failovers} | ${seconds(median(times))} | ${seconds(Math.max(...times))} | ${seconds(database)} |`
  }),
]

const countsOf = (counts: ReadonlyMap<string, number>): string =>
  [...counts]
    .sort()
    .map(([what, count]) => `${what}: ${count}`)
    .join(', ') || 'none'

export const writeReport = (path: string, report: Report): void => {
  const { outages, verdicts, seen } = report
  const { ledger, feed, webhooks, statuses } = seen
  const failovers = outages.filter(({ isFailover }) => isFailover)
  const { events, restarts } = feed.counts()
  const lines = [
    '# Failover, tried',
    '',
    `Produced by \`npm run trial:failover -- --minutes ${report.minutes} --seed ${report.seed}\` on ${new Date().toISOString().slice(0, 10)}. ${report.machine} ${report.versions}`,
    '',
    'Two API processes and two workers of Foyer, PostgreSQL with a synchronous replica under Patroni, three members of etcd, HAProxy, and Redis with a replica and three Sentinels, all on one machine. Clients repeat what was not acknowledged, at either API process, with the same idempotency key. The ledger of what was acknowledged is outside of Foyer.',
    '',
    '## Result',
    '',
    '| | Wanted | Found |',
    '|---|---:|---:|',
    ...verdicts.map(({ what, wanted, found }) => `| ${what} | ${wanted} | ${found} |`),
    `| Failovers | at least one | ${failovers.length} |`,
    `| Longest time without writes around a failover | ${FAILOVER_MAX_MS / 1_000} s | ${seconds(Math.max(0, ...failovers.map(({ foyerMs }) => foyerMs)))} s |`,
    '',
    ...verdicts.flatMap(({ what, examples }) =>
      examples.length > 0 ? [`${what}, for example:`, '', '```', ...examples, '```', ''] : [],
    ),
    ...(report.left ? [`When it was compared: ${report.left}.`, ''] : []),
    '## What was acknowledged',
    '',
    `${ledger.replies.size} replies through the API, ${ledger.inbound.size} inbound WhatsApp messages, ${ledger.visits.size} messages of visitors, ${ledger.reads} reads. The provider received ${seen.received.size} replies; ${ledger.replies.size - seen.received.size} failed as \`DELIVERY_UNCONFIRMED\` because the worker died before it knew that it had sent them, or were not sent. The follower read ${events} events and started over ${restarts} times; the receiver got ${webhooks.seen.length} events and ${webhooks.repeats()} repeated attempts. Starts of Foyer that gave up because the database did not respond in time, and were repeated: ${report.failedStarts}. Patroni had to be restarted by hand ${report.repairs} times.`,
    '',
    'Responses, and what broke before a response:',
    '',
    ...[
      ['Replies', ledger.api],
      ['Inbound webhooks', ledger.webhooks],
      ['Delivery reports', statuses],
      ['Visitors', ledger.chats],
      ['Reads', ledger.readers],
    ].map(([name, answers]) => `- ${name as string}: ${countsOf((answers as typeof statuses).counts)}`),
    '',
    '## What happened',
    '',
    'The time without writes is the longest between two acknowledged replies, from either API process. That of the database is the longest between two statements that a client without Foyer wrote through HAProxy at the same time, each on a new connection.',
    '',
    ...tableOfOutages(outages),
    '',
    '## Settings',
    '',
    `Patroni: \`${JSON.stringify(PATRONI_SETTINGS)}\`. PostgreSQL: \`${JSON.stringify(POSTGRES_SETTINGS)}\`. HAProxy asks Patroni every second (\`inter 1s fastinter 500ms downinter 500ms rise 1 fall 2 on-marked-down shutdown-sessions\`, \`timeout check 1s\`). Sentinel: \`down-after-milliseconds 3000\`.`,
    '',
  ]
  writeFileSync(path, lines.join('\n'))
}
