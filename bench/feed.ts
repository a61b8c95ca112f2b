// `npm run bench:feed`: how soon a committed event can be read, how many the relay numbers, what recording costs beside
// it, and what held calls need. Everything is in one process, with the PostgreSQL of the tests.
import { loadavg } from 'node:os'
import { test } from 'node:test'
import { sql } from 'kysely'
import { startRelay } from '../server/jobs/relay-events.ts'
import { runTransaction } from '../server/platform/db/horizon.ts'
import { startApp } from '../test/app.ts'
import { until } from '../test/until.ts'

const VISIBLE = 300
const BACKLOG = 30_000
const TRANSACTIONS = 1_500
const WRITERS = 8
const TOKENS = 100
const CALLS_PER_TOKEN = 10

const percentile = (values: readonly number[], share: number): string =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)]!.toFixed(1)

test('the feed', { timeout: 600_000 }, async (t) => {
  const { app, call, database, db, deps, make } = await startApp({ stream: true })
  const { connectionString } = database
  const start = () =>
    startRelay({ now: deps.now, stream: deps.stream, log: app.log }, { connectionString, pollMs: 1_000 })
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

  const ingest = async (): Promise<number> => {
    const startMs = performance.now()
    let left = TRANSACTIONS
    await Promise.all(
      Array.from({ length: WRITERS }, async () => {
        while (left-- > 0) await record(id)
      }),
    )
    return TRANSACTIONS / ((performance.now() - startMs) / 1_000)
  }
  const rates = { without: 0, beside: 0 }
  // In turns, because other programs come and go.
  for (let round = 0; round < 3; round++) {
    rates.without += (await ingest()) / 3
    relay = start()
    rates.beside += (await ingest()) / 3
    await relay.stop()
  }
  say(
    `recording: ${rates.without.toFixed(0)}/s without the relay, ${rates.beside.toFixed(0)}/s beside it: ${((1 - rates.beside / rates.without) * 100).toFixed(1)} % less`,
  )

  await sql`insert into events (workspace_id, type, data, actor, created_at)
    select ${id}, 'note.created', '{"noteId": "c1"}', 'system', now() from generate_series(1, ${BACKLOG})`.execute(
    db,
  )
  const before = await headOf(id)
  relay = start()
  await until(async () => (await headOf(id)) > before, 'the relay')
  const [fromMs, from] = [performance.now(), await headOf(id)]
  await until(async () => (await headOf(id)) >= before + BACKLOG, 'the backlog', 120_000)
  say(
    `the relay numbers ${((before + BACKLOG - from) / ((performance.now() - fromMs) / 1_000)).toFixed(0)} events/s`,
  )

  const tokens: string[] = []
  for (let count = 0; count < TOKENS; count++) tokens.push((await make.workspace()).token)
  for (const one of tokens) await call(one, 'GET', '/events')
  const memory = (): number => {
    globalThis.gc?.()
    return process.memoryUsage().heapUsed + process.memoryUsage().external
  }
  const emptyBytes = memory()
  const held = tokens.flatMap((one) =>
    Array.from({ length: CALLS_PER_TOKEN }, () => call(one, 'GET', '/events?wait=30')),
  )
  await until(async () => {
    const { registry } = await import('../server/platform/metrics.ts')
    return (await registry.metrics()).includes(`foyer_calls_held ${held.length}`)
  }, 'all calls to be held')
  say(`${held.length} held calls: ${((memory() - emptyBytes) / 1024 ** 2).toFixed(1)} MiB, without sockets`)
  await app.close()
  await Promise.all(held)
  await relay.stop()
})
