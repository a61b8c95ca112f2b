// The end of the trial: the ledger compared with the database, the provider, the receiver and the follower.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Follower } from '../../test/followers.ts'
import type { Answers } from './client.ts'
import type { followFeed } from './follow.ts'
import type { Ledger } from './load.ts'
import type { Foyer } from './processes.ts'
import { query, until } from './watch.ts'

/** Messages whose sending was cut off fail after ten minutes, if the provider doesn't report them. */
const SETTLE_MAX_MS = 13 * 60_000
const SHOWN_MAX = 5

export type Seen = {
  ledger: Ledger
  /** How often the provider received each text. */
  received: ReadonlyMap<string, number>
  statuses: Answers
  feed: ReturnType<typeof followFeed>
  webhooks: Follower
}

export type Verdict = { what: string; wanted: string; found: string; isRight: boolean; examples: string[] }

type Row = { id: string; body: string; external_id: string | null; status: string; error_code: string | null }

const readRows = (databaseUrl: string): Promise<Row[]> =>
  query<Row>(
    databaseUrl,
    `select m.id, m.body, m.external_id, m.status,
       m.metadata #>> '{error,code}' as error_code from messages m where m.sender_type <> 'system'`,
  )

/** Waits until nothing is queued and the followers have seen every message. Says what is left if that takes too long. */
export const settle = async (databaseUrl: string, { feed, webhooks }: Seen): Promise<string> => {
  let left = ''
  await readRows(databaseUrl)
  await until(
    'the end of the queues',
    async () => {
      const rows = await readRows(databaseUrl)
      const queued = rows.filter(({ status }) => status === 'queued').length
      const seen = idsOf(webhooks)
      const unseen = rows.filter(({ id }) => !feed.messages.has(id) || !seen.has(id)).length
      left = `${queued} messages queued, ${unseen} not followed`
      return queued === 0 && unseen === 0
    },
    SETTLE_MAX_MS,
  ).catch(() => {})
  return left
}

const idsOf = ({ seen }: Follower): Set<string> =>
  new Set(seen.flatMap(({ type, data }) => (type === 'message.created' ? [String(data.messageId)] : [])))

const verdict = (what: string, examples: readonly string[], wanted = 'none'): Verdict => ({
  ...{ what, wanted },
  found: examples.length === 0 ? 'none' : String(examples.length),
  isRight: examples.length === 0,
  examples: examples.slice(0, SHOWN_MAX),
})

const duplicates = (values: readonly string[]): string[] =>
  [...Map.groupBy(values, (value) => value)].flatMap(([value, all]) => (all.length > 1 ? [value] : []))

export const compare = async (
  databaseUrl: string,
  foyer: Foyer,
  logs: string,
  seen: Seen,
): Promise<Verdict[]> => {
  const { ledger, received, feed, webhooks, statuses } = seen
  const rows = await readRows(databaseUrl)
  const byId = new Map(rows.map((row) => [row.id, row]))
  const externalIds = new Set(rows.map(({ external_id }) => external_id))
  const missing = (acknowledged: ReadonlyMap<string, string>): string[] =>
    [...acknowledged].flatMap(([text, id]) => (byId.get(id)?.body === text ? [] : [text]))
  const undelivered = [...ledger.replies].flatMap(([text, id]) => {
    const row = byId.get(id)
    const isKnownToFail = row?.status === 'failed' && row.error_code !== null
    return received.has(text) || isKnownToFail ? [] : [`${text}: ${row?.status}`]
  })
  const answers = [ledger.api, ledger.webhooks, ledger.chats, ledger.readers, statuses]
  const programs = [...foyer.apis, ...foyer.workers].map(({ program }) => program)
  const followed = idsOf(webhooks)
  return [
    verdict('Acknowledged replies that are not in the database', missing(ledger.replies)),
    verdict(
      'Acknowledged inbound messages that are not in the database',
      [...ledger.inbound].filter((id) => !externalIds.has(id)),
    ),
    verdict('Acknowledged messages of visitors that are not in the database', missing(ledger.visits)),
    verdict('Messages that are in the database twice', duplicates(rows.map(({ body }) => body))),
    verdict(
      'Replies that the provider received twice',
      [...received].flatMap(([text, times]) => (times > 1 ? [`${text}: ${times}`] : [])),
    ),
    verdict('Acknowledged replies that neither reached the provider nor failed', undelivered),
    verdict(
      'Messages that the follower of the feed did not see',
      [...byId.keys()].filter((id) => !feed.messages.has(id)),
    ),
    verdict('Faults of the feed (gaps, repeats)', feed.faults),
    verdict(
      'Messages that the receiver of webhooks did not get',
      [...byId.keys()].filter((id) => !followed.has(id)),
    ),
    verdict(
      'Faults of webhooks (the same attempt twice, another body, an older event later)',
      webhooks.faults,
    ),
    verdict('5xx responses other than 503 with Retry-After', [
      ...answers.flatMap(({ bad }) => bad),
      ...feed.bad,
    ]),
    verdict(
      'Requests that failed by a bug, in the logs',
      readFailures(programs.map(({ name }) => join(logs, `${name}.log`))),
    ),
    verdict(
      'Foyer processes that ended by themselves',
      programs.flatMap(({ name, unexpected }) => (unexpected() > 0 ? [`${name}: ${unexpected()}`] : [])),
    ),
  ]
}

/** Requests that ended with a 500, and what ended a process. */
const readFailures = (files: readonly string[]): string[] =>
  files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => /"msg":"request failed"|"level":"fatal"|"status":500|^(?!\{).*Error:/.test(line))
      .map((line) => line.slice(0, 400)),
  )
