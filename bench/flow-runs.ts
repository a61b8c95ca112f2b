// `npm run bench:flow-runs`: how many sprints of flows one process makes, how late runs wake, how soon a flow replies
// and what it costs webhooks. A separate PostgreSQL; BENCH_SIZE=small tries all of it in two minutes.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { pino } from 'pino'
import { channels } from '../channels/index.ts'
import type { RunState } from '../flow-engine/contract.ts'
import type { FlowDefinition, Step } from '../flow-engine/schema.ts'
import { NEW_RUN } from '../flow-engine/sprint.ts'
import { makeConductor } from '../server/jobs/conduct.ts'
import { databaseNow, followClock } from '../server/platform/db/clock.ts'
import { startEmbedded } from '../server/platform/db/embedded.ts'
import { makeDb, makePool } from '../server/platform/db/pool.ts'
import { makeFolderStore } from '../server/platform/files/folder-store.ts'
import { silentStream } from '../server/platform/live/stream.ts'
import { makeSeal } from '../server/platform/seal.ts'
import { makeFlow } from '../test/make-flow.ts'
import { log, type Server, startFoyer, stop } from './foyer.ts'
import { median, paced, run } from './load.ts'
import { loadBefore, number, producedBy, writeResults } from './measured.ts'
import { startProvider } from './provider.ts'
import { makePeople, makePlace, nextWebhook, type WhatsappPlace } from './whatsapp-place.ts'

const isSmall = process.env.BENCH_SIZE === 'small'
const PEOPLE = isSmall ? 20_000 : 1_000_000
const SPRINTS = isSmall ? 5_000 : 50_000
const WAKES_PER_SECOND = 1_000
const WAKE_SECONDS = isSmall ? 10 : 60
const REPLIES_PER_SECOND = 200
const REPLY_MS = isSmall ? 5_000 : 30_000
const WINDOW_MS = isSmall ? 4_000 : 15_000
const ROUNDS = isSmall ? 1 : 3
const CONNECTIONS = 20
const LATENCY_MS = 50
const POLL_MS = 1_000
const SETTLE_MS = 5_000

const flowOf = (steps: Step[], more: Partial<FlowDefinition> = {}): FlowDefinition => ({
  schema: 1,
  kind: 'dialog',
  language: 'en',
  triggers: [{ on: 'message' }],
  start: 'start',
  blocks: { start: { steps } },
  ...more,
})

const ORDER = flowOf(
  [
    {
      id: 's1',
      type: 'ask',
      answer: 'text',
      text: 'Hello {{contact.firstName|}}, what is your order number?',
      store: 'run.order',
    },
    { id: 's2', type: 'send', text: 'Thank you. Your order {{run.order}} arrives on Tuesday.' },
  ],
  { variables: { order: { type: 'text' } } },
)

const LATER = flowOf(
  [
    { id: 's1', type: 'wait', for: 'PT1H' },
    { id: 's2', type: 'send', text: 'Did everything work out?' },
  ],
  { triggers: [{ on: 'api' }] },
)

/** A message of each of the first people, as the webhook would have stored it, with its input. */
const writeMessages = async (
  { client, workspaceId, number }: WhatsappPlace,
  round: number,
): Promise<void> => {
  await client.query(
    `with message as (
       insert into messages (workspace_id, id, conversation_id, channel_account_id, sender_type, sender_id, body, status,
         created_at)
       select $1, 'cbench' || $4::int || 'm' || lpad(n::text, 17, '0'), 'cbench0t' || lpad(n::text, 17, '0'), $2, 'customer',
         'cbench0p' || lpad(n::text, 17, '0'), 'Where is my order AB-' || n, 'sent', now()
       from generate_series(1, $3::int) n
       returning id, conversation_id
     )
     insert into automation_inputs (workspace_id, conversation_id, kind, message_id, created_at)
     select $1, conversation_id, 'message', id, now() from message order by id`,
    [workspaceId, number, SPRINTS, round],
  )
  await client.query('analyze messages, automation_inputs')
}

const deps = async (connectionString: string, folder: string) => {
  const db = makeDb(makePool({ connectionString }))
  const clock = await followClock(db, () => {})
  return {
    db,
    searchDb: db,
    channels,
    stream: silentStream,
    seal: makeSeal('a secret key for the benchmark and nothing else'),
    files: makeFolderStore(folder),
    publicUrl: 'http://foyer.bench',
    log: pino({ level: 'warn' }, pino.destination(2)),
    now: databaseNow,
    stopClock: clock.stop,
  }
}

type Deps = Awaited<ReturnType<typeof deps>>

const ROWS = ['| | |', '|---|---:|']
const add = (name: string, value: string): void => {
  ROWS.push(`| ${name} | ${value} |`)
  log(ROWS.at(-1)!)
}

const measureSprints = async (place: WhatsappPlace, deps: Deps): Promise<void> => {
  const conductor = makeConductor(deps)
  for (const [round, name] of ['question', 'answer'].entries()) {
    await writeMessages(place, round + 1)
    const startedMs = performance.now()
    await conductor.conductDue()
    const seconds = (performance.now() - startedMs) / 1_000
    add(`${number(SPRINTS)} sprints, ${name}: per second`, number(SPRINTS / seconds))
  }
  await conductor.stop()
}

/** Runs that wait, of which a thousand are due in each of the next seconds, in no order. */
const measureWakes = async (place: WhatsappPlace, deps: Deps, flowId: string): Promise<void> => {
  const { client, workspaceId } = place
  const state: RunState = {
    ...NEW_RUN,
    at: { block: 'start', step: 0 },
    wait: { for: 'time', stepId: 's1', until: 0, token: 1, invalid: 0, offered: [] },
    tokens: 1,
    stepsTaken: 1,
  }
  await client.query('delete from flow_runs where workspace_id = $1', [workspaceId])
  await client.query(
    `insert into flow_runs (workspace_id, id, flow_id, flow_name, contact_id, conversation_id, status, started_at, version,
       is_dialog, state, waiting_for, waiting_step, wakes_at, wake_token, steps_taken)
     select $1, 'cbench0r' || lpad(n::text, 17, '0'), $2, 'Later', 'cbench0p' || lpad(n::text, 17, '0'),
       'cbench0t' || lpad(n::text, 17, '0'), 'running', now(), 1, true, $3::json, 'time', 's1', now() + interval '5 days',
       1, 1
     from generate_series(1, $4::int) n`,
    [workspaceId, flowId, JSON.stringify(state), PEOPLE],
  )
  const count = Math.min(WAKES_PER_SECOND * WAKE_SECONDS, PEOPLE)
  await client.query(
    `create temp table due as
     select id, row_number() over (order by md5(id)) * interval '1 second' / ${WAKES_PER_SECOND} as after from flow_runs
     where workspace_id = '${workspaceId}' order by md5(id) limit ${count}`,
  )
  await client.query('vacuum analyze flow_runs')
  await client.query(`alter table due add column at timestamptz`)
  await client.query(`update due set at = now() + interval '10 seconds' + after`)
  await client.query(
    'update flow_runs r set wakes_at = due.at from due where r.workspace_id = $1 and r.id = due.id',
    [workspaceId],
  )
  const conductor = makeConductor(deps)
  const polling = setInterval(() => void conductor.look(), POLL_MS)
  await delay(10_000 + (count / WAKES_PER_SECOND) * 1_000 + SETTLE_MS)
  clearInterval(polling)
  await conductor.stop()
  const { rows } = await client.query<{ woken: number; p50: number; p99: number; seconds: number }>(
    `select count(*)::int as woken, percentile_cont(0.5) within group (order by late) as p50,
       percentile_cont(0.99) within group (order by late) as p99
     from (select extract(epoch from r.completed_at - due.at) * 1000 as late
       from flow_runs r join due on due.id = r.id where r.workspace_id = $1 and r.status = 'completed') l`,
    [workspaceId],
  )
  const { woken, p50, p99 } = rows[0]!
  if (woken !== count) throw new Error(`${woken} of ${count} runs were woken`)
  add(
    `${number(PEOPLE)} waiting runs, ${number(WAKES_PER_SECOND)} due each second: lateness p50, ms`,
    number(p50),
  )
  add('lateness p99, ms', number(p99))
}

/** What automation costs those who only deliver messages, and how soon a flow has replied. */
const measureWebhooks = async (
  { client, workspaceId, number: account }: WhatsappPlace,
  port: number,
): Promise<void> => {
  const next = () => nextWebhook(account, PEOPLE)
  const automate = async (isAutomated: boolean, words: string[] | null) => {
    await client.query(
      `update flow_versions set definition = (jsonb_set(definition::jsonb, '{triggers}', $2::jsonb))::json
       where workspace_id = $1`,
      [workspaceId, JSON.stringify([{ on: 'message', ...(words && { words }) }])],
    )
    await client.query(
      'update workspaces set is_automated = $2, automation_revision = automation_revision + 1 where id = $1',
      [workspaceId, isAutomated],
    )
  }
  await run(port, { connections: CONNECTIONS, ms: 1_000, next })
  const rates: Record<string, number[]> = {}
  const KINDS = [
    ['no automation', false, ['nobody says this']],
    ['a live flow that isn’t meant', true, ['nobody says this']],
    ['a live flow that replies to each', true, null],
  ] as const
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, isAutomated, words] of KINDS) {
      await automate(isAutomated, words && [...words])
      const { perSecond } = await run(port, { connections: CONNECTIONS, ms: WINDOW_MS, next })
      rates[name] = [...(rates[name] ?? []), perSecond]
      await untilDone(client)
    }
  for (const [name] of KINDS)
    add(`webhooks per second, ${CONNECTIONS} connections, ${name}`, number(median(rates[name]!)))
  const { rows: before } = await client.query<{ at: Date }>('select now() as at')
  const acked = await paced(port, { perSecond: REPLIES_PER_SECOND, ms: REPLY_MS, next })
  await untilDone(client)
  const { rows } = await client.query<{ p50: number; p95: number; count: number }>(
    `select count(*)::int as count, percentile_cont(0.5) within group (order by ms) as p50,
       percentile_cont(0.95) within group (order by ms) as p95
     from (select extract(epoch from min(s.created_at) - m.created_at) * 1000 as ms
       from messages m join flow_runs r on r.workspace_id = m.workspace_id and r.cause ->> 'messageId' = m.id
       join flow_run_steps s on s.workspace_id = r.workspace_id and s.run_id = r.id and s.message_id is not null
       where m.workspace_id = $1 and m.sender_type = 'customer' and m.created_at >= $2
       group by m.id, m.created_at) l`,
    [workspaceId, before[0]!.at],
  )
  add(`${REPLIES_PER_SECOND} messages a second: acknowledged p50, ms`, acked.p50Ms.toFixed(1))
  add(`first reply stored p50, ms (${number(rows[0]!.count)} replies)`, number(rows[0]!.p50))
  add('first reply stored p95, ms', number(rows[0]!.p95))
}

const untilDone = async (client: pg.Client): Promise<void> => {
  for (;;) {
    const { rows } = await client.query<{ left: number }>(
      'select count(*)::int as left from automation_inputs',
    )
    if (rows[0]!.left === 0) return
    await delay(100)
  }
}

const dataDir = mkdtempSync(join(tmpdir(), 'foyer-bench-flow-runs-'))
const postgres = await startEmbedded({ dataDir })
const provider = await startProvider(LATENCY_MS)
let server: Server | undefined
try {
  server = await startFoyer(dataDir)
  const place = await makePlace(dataDir, postgres.connectionString, provider)
  const { client, workspaceId } = place
  // The first figures are of a process that does nothing else.
  await stop(server.child)
  server = undefined
  const busy = loadBefore()
  log(`making ${PEOPLE} people`)
  await makePeople(place, PEOPLE)
  const own = await deps(postgres.connectionString, dataDir)
  const made = { db: own.db, clock: { now: databaseNow } }
  await makeFlow(made, workspaceId, { name: 'Order', definition: ORDER })
  const later = await makeFlow(made, workspaceId, { name: 'Later', definition: LATER, position: 2 })
  await measureSprints(place, own)
  await measureWakes(place, own, later.id)
  own.stopClock()
  await own.db.destroy()
  await client.query('truncate deliveries')
  await client.query('delete from flow_runs')
  await client.query(`delete from automation_states`)
  await client.query(`update flows set state = 'paused' where id = $1`, [later.id])
  server = await startFoyer(dataDir)
  await measureWebhooks(place, server.port)
  await client.end()
  writeResults('results-flow-runs', isSmall, [
    '# Flows on the server, measured',
    '',
    producedBy({
      script: 'bench:flow-runs',
      postgres: 'the private PostgreSQL with fsync and synchronous_commit on',
      shared: 'PostgreSQL, the process and the load generator',
      busy,
    }),
    '',
    'A sprint takes a customer’s message, asks or replies, and stores message, delivery, run, steps, line and events. Lateness is from the time at which a run was to wake to its end. Replies are timed from the customer’s message to the last statement before the commit.',
    '',
    ...ROWS,
    '',
  ])
} finally {
  if (server) await stop(server.child)
  await provider.stop()
  await postgres.release()
  rmSync(dataDir, { recursive: true, force: true })
}
