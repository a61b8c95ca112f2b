// `npm run bench:feed`: how soon a committed event can be read, how many the relay numbers, what recording costs beside
// it, and what held calls need. Everything is in one process, on a PostgreSQL whose commits wait for the disk.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { sql } from 'kysely'
import { findRelayPlace } from '../server/domain/feed/relay-queries.ts'
import { createEndpoint } from '../server/domain/webhooks/create-endpoint.ts'
import { fanOut } from '../server/domain/webhooks/fan-out.ts'
import { connect, deliver, messageOf, webhook } from '../server/inbound/whatsapp/testing/provider.ts'
import { type Relay, startRelay } from '../server/jobs/relay-events.ts'
import { runTransaction } from '../server/platform/db/horizon.ts'
import { registry } from '../server/platform/metrics.ts'
import { startApp, type TestApp } from '../test/app.ts'
import { until } from '../test/until.ts'
import { median } from './load.ts'
import {
  type Figure,
  IS_TRIAL,
  inPairs,
  load,
  loadBefore,
  lossOf,
  number,
  percent,
  percentile,
  postgresOf,
  producedBy,
  tableOf,
  writePlatformSection,
} from './measured.ts'

const VISIBLE = IS_TRIAL ? 100 : 500
/** Events are this far apart, at most. */
const APART_MAX_MS = 100
const BACKLOG = IS_TRIAL ? 3_000 : 30_000
const BACKLOGS = IS_TRIAL ? 1 : 3
const ROWS = IS_TRIAL ? 300 : 1_500
const MESSAGES = IS_TRIAL ? 100 : 500
const CUSTOMERS = 2_000
const WRITERS = 8
const ROUNDS = IS_TRIAL ? 2 : 9
const SHARED = 'The server, its relay, the writers and PostgreSQL'
const ABOUT = `The held call is one of \`GET /events?wait=30\`, timed from the commit of one event to its answer, ${number(VISIBLE)} times, up to ${APART_MAX_MS} ms apart and with no other transaction running. Writing is compared in ${ROUNDS} pairs of windows with ${WRITERS} writers. Backlogs are of ${number(BACKLOG)} events, medians of ${BACKLOGS}. Held calls are counted in the server's heap, beside the first call of each token.`
const TOKENS = 100
const CALLS_PER_TOKEN = 10

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** How many a second, by several writers. */
const rateOf = async (write: () => Promise<void>, count: number): Promise<number> => {
  const startMs = performance.now()
  let left = count
  await Promise.all(
    Array.from({ length: WRITERS }, async () => {
      while (left-- > 0) await write()
    }),
  )
  return count / ((performance.now() - startMs) / 1_000)
}

/**
 * Has another process hold calls of many tokens, and measures what they need here beside the first call of each token,
 * the JavaScript side of the sockets included.
 */
const hold = async ({ app, call, database, make }: TestApp) => {
  const baseUrl = await app.listen({ host: '127.0.0.1', port: 0 })
  const tokens: string[] = []
  for (let count = 0; count < TOKENS; count++) tokens.push((await make.workspace()).token)
  for (const one of tokens) await call(one, 'GET', '/events')
  const memory = (): number => {
    // The texts of all statements, which only tests keep: 3.6 kB a call.
    database.statements.length = 0
    collectGarbage()
    return process.memoryUsage().heapUsed + process.memoryUsage().external
  }
  const emptyBytes = memory()
  const program = join(import.meta.dirname, 'hold-calls.ts')
  const client = spawn(process.execPath, [program], { stdio: ['pipe', 'ignore', 'inherit'] })
  const lines = tokens.flatMap((one) =>
    Array.from({ length: CALLS_PER_TOKEN }, () => `${baseUrl}/api/v1/events?wait=30 ${one}`),
  )
  client.stdin.end(`${lines.join('\n')}\n`)
  await until(
    async () => (await registry.metrics()).includes(`foyer_calls_held ${lines.length}`),
    'all calls to be held',
  )
  const bytes = memory() - emptyBytes
  client.kill()
  await once(client, 'exit')
  return { bytes, count: lines.length }
}

/** Returns a function that has a customer's message delivered, each time of another one. */
const makeReceive = async (app: TestApp, workspaceId: string): Promise<() => Promise<void>> => {
  const channelId = await connect(app, workspaceId)
  let received = 0
  return async () => {
    const number = received++
    const from = { waId: `1650555${String(number % CUSTOMERS).padStart(4, '0')}`, name: 'Ada' }
    const { status } = await deliver(app, channelId, webhook(messageOf(from, `Question ${number}`)))
    if (status !== 200) throw new Error(`a webhook was answered with ${status}`)
    app.deps.stream.wake()
  }
}

type Writing = { start: () => Relay; write: () => Promise<void>; count: number }

/** Pairs of rates: without a relay, and beside one that has nothing left over to do. */
const compare = async ({ db, deps }: TestApp, { start, write, count }: Writing) => {
  const areAllNumbered = async (): Promise<boolean> => {
    const { tx, id } = await findRelayPlace(db)
    const { rows } = await sql`select from events where (tx, id) > (${tx}, ${id}) limit 1`.execute(db)
    return rows.length === 0
  }
  return inPairs(
    ROUNDS,
    () => rateOf(write, count),
    async () => {
      const relay = start()
      deps.stream.wake()
      await until(areAllNumbered, 'the relay')
      const rate = await rateOf(write, count)
      await until(areAllNumbered, 'the relay')
      await relay.stop()
      return rate
    },
  )
}

test('the feed', { timeout: 900_000 }, async () => {
  const busy = loadBefore()
  const figures: Figure[] = []
  const app = await startApp({ stream: true })
  const { call, ctxOf, database, db, deps, make } = app
  const { connectionString } = database
  const start = () =>
    startRelay(
      { now: deps.now, stream: deps.stream, log: app.app.log },
      {
        connectionString,
        pollMs: 1_000,
        onNumbered: (trx, rows) => fanOut(trx, rows, { now: deps.now(), ctxOf }),
      },
    )
  const say = (what: string, measured: string, target?: string) => {
    figures.push({ what, measured, ...(target && { target }), load: load() })
    process.stdout.write(`${what}: ${measured} (load ${load()})\n`)
  }
  const headOf = async (id: string): Promise<number> =>
    (await db.selectFrom('feed_heads').select('seq').where('workspace_id', '=', id).executeTakeFirst())
      ?.seq ?? 0
  const record = async (workspaceId: string): Promise<void> => {
    await runTransaction({ db, workspaceId }, false, (trx) =>
      sql`insert into events (workspace_id, type, data, actor, created_at)
        values (${workspaceId}, 'note.created', '{"noteId": "c1"}', 'system', now())`.execute(trx),
    )
    deps.stream.wake()
  }
  const { id, token } = await make.workspace()
  let relay = start()
  await record(id)
  await until(async () => (await headOf(id)) === 1, 'the relay')

  const visibleMs: number[] = []
  let { cursor } = (await call(token, 'GET', '/events')).body
  for (let count = 0; count < VISIBLE; count++) {
    const waiting = call(token, 'GET', `/events?cursor=${cursor}&wait=30`)
    await delay(Math.random() * APART_MAX_MS)
    await record(id)
    const committedMs = performance.now()
    ;({ cursor } = (await waiting).body)
    visibleMs.push(performance.now() - committedMs)
  }
  for (const [name, share, target] of [
    ['p50', 0.5, '≤ 20 ms'],
    ['p99', 0.99, '≤ 200 ms'],
  ] as const)
    say(
      `a held call answers after the commit, ${name}`,
      `${percentile(visibleMs, share).toFixed(1)} ms`,
      target,
    )
  await relay.stop()

  for (const [what, write, count, target] of [
    ['bare rows of events', () => record(id), ROWS, undefined],
    ['messages received', await makeReceive(app, id), MESSAGES, '≤ 5 %'],
  ] as const) {
    const pairs = await compare(app, { start, write, count })
    const [without, beside] = [0, 1].map((side) => median(pairs.map((pair) => pair[side]!)).toFixed(0))
    say(`${what}, without the relay`, `${without}/s`)
    say(`${what}, beside it`, `${beside}/s`)
    say(`${what}, lost with the relay on`, percent(lossOf(pairs)), target)
  }

  relay = start()
  for (const endpoints of [0, 2]) {
    const rates: number[] = []
    for (let round = 0; round < BACKLOGS; round++) {
      const other = (await make.workspace()).id
      for (let count = 0; count < endpoints; count++)
        await createEndpoint(ctxOf(other), { url: 'http://127.0.0.1:50009/hook' })
      await sql`insert into events (workspace_id, type, data, actor, created_at)
        select ${other}, 'note.created', '{"noteId": "c1"}', 'system', now() from generate_series(1, ${BACKLOG})`.execute(
        db,
      )
      const fromMs = performance.now()
      deps.stream.wake()
      await until(async () => (await headOf(other)) >= BACKLOG, 'the backlog', 120_000)
      rates.push(BACKLOG / ((performance.now() - fromMs) / 1_000))
    }
    const target = endpoints === 2 ? '≥ 3,000/s' : undefined
    say(`the relay numbers events, with ${endpoints} endpoints`, `${number(median(rates))}/s`, target)
  }

  const { bytes, count } = await hold(app)
  say(`${number(count)} held calls`, `${(bytes / 1024 ** 2).toFixed(1)} MiB`, '≤ 20 MiB')
  await relay.stop()
  writePlatformSection('The feed', [
    producedBy({ script: 'bench:feed', postgres: await postgresOf(db), shared: SHARED, busy }),
    '',
    ABOUT,
    '',
    ...tableOf(figures),
  ])
})
