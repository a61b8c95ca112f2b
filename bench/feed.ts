// `npm run bench:feed`: how soon a committed event can be read, how many the relay numbers, what recording costs beside
// it, and what held calls need. Everything is in one process, with the PostgreSQL of the tests.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
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

const VISIBLE = 300
const BACKLOG = 30_000
const ROWS = 1_500
const MESSAGES = 500
const CUSTOMERS = 2_000
const WRITERS = 8
const ROUNDS = 9
const TOKENS = 100
const CALLS_PER_TOKEN = 10

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const percentile = (values: readonly number[], share: number): string =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)]!.toFixed(1)

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
const hold = async ({ app, call, make }: TestApp) => {
  const baseUrl = await app.listen({ host: '127.0.0.1', port: 0 })
  const tokens: string[] = []
  for (let count = 0; count < TOKENS; count++) tokens.push((await make.workspace()).token)
  for (const one of tokens) await call(one, 'GET', '/events')
  const memory = (): number => {
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

/** The median rates without a relay and beside one that has nothing left over to do. */
const compare = async ({ db, deps }: TestApp, { start, write, count }: Writing) => {
  const areAllNumbered = async (): Promise<boolean> => {
    const { tx, id } = await findRelayPlace(db)
    const { rows } = await sql`select from events where (tx, id) > (${tx}, ${id}) limit 1`.execute(db)
    return rows.length === 0
  }
  const rates: { without: number[]; beside: number[] } = { without: [], beside: [] }
  // In turns, because other programs come and go.
  for (let round = 0; round < ROUNDS; round++) {
    rates.without.push(await rateOf(write, count))
    const relay = start()
    deps.stream.wake()
    await until(areAllNumbered, 'the relay')
    rates.beside.push(await rateOf(write, count))
    await until(areAllNumbered, 'the relay')
    await relay.stop()
  }
  return { without: median(rates.without), beside: median(rates.beside) }
}

test('the feed', { timeout: 600_000 }, async (t) => {
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
  const say = (line: string) => t.diagnostic(`${line} (load ${loadavg()[0]!.toFixed(1)})`)
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
    await new Promise((resolve) => setTimeout(resolve, 10))
    await record(id)
    const committedMs = performance.now()
    ;({ cursor } = (await waiting).body)
    visibleMs.push(performance.now() - committedMs)
  }
  say(
    `a held call answers after the commit: p50 ${percentile(visibleMs, 0.5)} ms, p99 ${percentile(visibleMs, 0.99)} ms`,
  )
  await relay.stop()

  for (const [what, write, count] of [
    ['bare rows of events', () => record(id), ROWS],
    ['messages received', await makeReceive(app, id), MESSAGES],
  ] as const) {
    const { without, beside } = await compare(app, { start, write, count })
    say(
      `${what}: ${without.toFixed(0)}/s without the relay, ${beside.toFixed(0)}/s beside it: ${((1 - beside / without) * 100).toFixed(1)} % less`,
    )
  }

  relay = start()
  for (const endpoints of [0, 2]) {
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
    say(
      `the relay numbers ${(BACKLOG / ((performance.now() - fromMs) / 1_000)).toFixed(0)} events/s with ${endpoints} endpoints`,
    )
  }

  const { bytes, count } = await hold(app)
  say(`${count} held calls: ${(bytes / 1024 ** 2).toFixed(1)} MiB`)
  await relay.stop()
})
