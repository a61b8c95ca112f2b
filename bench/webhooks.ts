// `npm run bench:webhooks`: how soon a receiver gets an event, how many deliveries one process makes, and what receivers
// that never respond cost the others and a customer's message. Everything shares the cores, on a PostgreSQL whose commits
// wait for the disk.
import type { ServerResponse } from 'node:http'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { createEndpoint } from '../server/domain/webhooks/create-endpoint.ts'
import { deleteEndpoint } from '../server/domain/webhooks/delete-endpoint.ts'
import { enableEndpoint } from '../server/domain/webhooks/enable-endpoint.ts'
import { pauseEndpoint } from '../server/domain/webhooks/stop-endpoint.ts'
import { makeEvents } from '../server/domain/webhooks/testing/make-events.ts'
import { startReceiver } from '../server/domain/webhooks/testing/receiver.ts'
import {
  connect,
  deliver,
  messageOf,
  startGraph,
  webhook,
} from '../server/inbound/whatsapp/testing/provider.ts'
import { inTransaction } from '../server/platform/ctx/ctx.ts'
import { record } from '../server/platform/events/record.ts'
import { startApp } from '../test/app.ts'
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
  spentMs,
  tableOf,
  writePlatformSection,
} from './measured.ts'

const PER_SECOND = 100
const SECONDS = IS_TRIAL ? 3 : 20
const BACKLOG = IS_TRIAL ? 500 : 1_000
const BATCH = 500
const PAIRS = IS_TRIAL ? 1 : 3
const BLACK_HOLES = 10
const CUSTOMERS = 40
const MESSAGES = IS_TRIAL ? 20 : 100
const SENDERS = 4
/** For each of the senders. */
const EVERY_MS = 400
const DEADLINE_MS = 180_000
const SHARED = 'The server with its worker, the receivers, the provider and PostgreSQL'

const busy = loadBefore()
const app = await startApp({ worker: true })
const { make } = app
const figures: Figure[] = []
const say = (what: string, measured: string, target?: string): void => {
  figures.push({ what, measured, ...(target && { target }), load: load() })
  process.stdout.write(`${what}: ${measured} (load ${load()})\n`)
}

test('from the commit to the receiver, at 100 events a second and two endpoints', {
  timeout: 300_000,
}, async () => {
  const ctx = app.ctxOf((await make.workspace()).id)
  const committed = new Map<string, number>()
  const took: number[] = []
  const receivers = await Promise.all(
    [1, 2].map(() =>
      startReceiver(({ event }) => {
        took.push(performance.now() - committed.get(event.contactId)!)
        return 200
      }),
    ),
  )
  for (const { url } of receivers) await createEndpoint(ctx, { url })
  for (let index = 0; index < PER_SECOND * SECONDS; index++) {
    const contactId = ctx.newId()
    void inTransaction(ctx, (ctx) =>
      record(ctx, { type: 'contact.updated', contactId, data: { contactId, changed: ['name'] } }),
    ).then(() => committed.set(contactId, performance.now()))
    await delay(1_000 / PER_SECOND)
  }
  await until(() => took.length >= 2 * PER_SECOND * SECONDS, 'all deliveries', DEADLINE_MS)
  say('from the commit to the receiver, p50', `${percentile(took, 0.5).toFixed(0)} ms`, '≤ 50 ms')
  say('from the commit to the receiver, p99', `${percentile(took, 0.99).toFixed(0)} ms`, '≤ 500 ms')
})

/** Deliveries a second of a backlog, sent to two endpoints at once. */
const drainBacklog = async (): Promise<number> => {
  const ctx = app.ctxOf((await make.workspace()).id)
  const receivers = await Promise.all([startReceiver(), startReceiver()])
  const ids = await Promise.all(
    receivers.map(
      async ({ url }) => (await createEndpoint(ctx, { url, maxInFlight: 50 })).webhookEndpoint.id,
    ),
  )
  for (const id of ids) await pauseEndpoint(ctx, id)
  for (let made = 0; made < BACKLOG; made += BATCH)
    await makeEvents(
      app,
      ctx.workspaceId,
      Array.from({ length: BATCH }, (_, index) => ({ conversationId: `c${(made + index) % 300}` })),
    )
  const startedMs = performance.now()
  await Promise.all(ids.map((id) => enableEndpoint(ctx, id, { backlog: 'send' })))
  const count = () => receivers.reduce((sum, { received }) => sum + received.length, 0)
  await until(() => count() >= 2 * BACKLOG, 'the backlog', DEADLINE_MS)
  return (2 * BACKLOG) / ((performance.now() - startedMs) / 1_000)
}

/** Runs beside ten endpoints of the workspace, each new, so that no circuit is open yet. */
const besideEndpoints = async <A>(
  workspaceId: string,
  { respond }: { respond: boolean },
  work: (received: readonly unknown[]) => Promise<A>,
): Promise<A> => {
  const ctx = app.ctxOf(workspaceId)
  const open: ServerResponse[] = []
  const receiver = await startReceiver((_, response) => {
    if (respond) return 200
    open.push(response)
    return undefined
  })
  const ids: string[] = []
  for (let index = 0; index < BLACK_HOLES; index++)
    ids.push((await createEndpoint(ctx, { url: receiver.url, ordering: 'none' })).webhookEndpoint.id)
  try {
    return await work(receiver.received)
  } finally {
    for (const id of ids) await deleteEndpoint(ctx, id)
    for (const response of open) response.destroy()
  }
}

/** Milliseconds of processor time for one delivery of a backlog, the receivers' included. */
const costOfDelivery = async (): Promise<{ own: number; postgres: number }> => {
  const before = await spentMs(app.db)
  await drainBacklog()
  const after = await spentMs(app.db)
  return {
    own: (after.own - before.own) / (2 * BACKLOG),
    postgres: (after.postgres - before.postgres) / (2 * BACKLOG),
  }
}

test('deliveries a second, alone and beside receivers that never respond', { timeout: 900_000 }, async () => {
  const { id } = await make.workspace()
  await drainBacklog()
  const { own, postgres } = await costOfDelivery()
  const pairs = await inPairs(PAIRS, drainBacklog, () =>
    besideEndpoints(id, { respond: false }, async (received) => {
      const events = Array.from({ length: 100 }, () => ({}))
      await makeEvents(app, id, events)
      await until(() => received.length >= BLACK_HOLES, 'requests that hang')
      return drainBacklog()
    }),
  )
  say('deliveries by one process', `${number(median(pairs.map(([alone]) => alone)))}/s`, '≥ 500/s')
  say('processor time of a delivery, the process with its receivers', `${own.toFixed(2)} ms`)
  say('processor time of a delivery, PostgreSQL', `${postgres.toFixed(2)} ms`)
  say(
    `deliveries beside ${BLACK_HOLES} receivers that never respond`,
    `${number(median(pairs.map(([, beside]) => beside)))}/s`,
  )
  say('lost by healthy endpoints', percent(lossOf(pairs)), '≤ 5 %')
})

test('a customer’s message, without endpoints and beside ten', { timeout: 900_000 }, async () => {
  const graph = await startGraph()
  after(() => graph.stop())
  const { id, token } = await make.workspace()
  const channelId = await connect(app, id, { apiUrl: graph.url })
  for (let index = 0; index < CUSTOMERS; index++)
    await deliver(
      app,
      channelId,
      webhook(messageOf({ waId: `165055500${String(index).padStart(2, '0')}`, name: 'Ada' }, 'Hello')),
    )
  const listed = await app.call(token, 'GET', '/conversations?limit=100')
  const ids: string[] = listed.body.conversations.map((one: { id: string }) => one.id)
  /** Milliseconds from the call to the provider's acceptance, for each message. */
  const send = async (): Promise<number[]> => {
    const took: number[] = []
    let next = 0
    await Promise.all(
      Array.from({ length: SENDERS }, async () => {
        for (let index = next++; index < MESSAGES; index = next++) {
          const startedMs = performance.now()
          const path = `/conversations/${ids[index % ids.length]}/messages`
          const { body } = await app.call(token, 'POST', path, { body: 'It left this morning.' })
          if (body.message?.status !== 'sent') throw new Error(JSON.stringify(body))
          const ms = performance.now() - startedMs
          took.push(ms)
          await delay(Math.max(EVERY_MS - ms, 1))
        }
      }),
    )
    return took
  }
  await send()
  const none: number[] = []
  const ways = { healthy: [] as [number, number][], holes: [] as [number, number][] }
  const all: Record<keyof typeof ways, number[]> = { healthy: [], holes: [] }
  for (const way of ['holes', 'healthy'] as const) {
    const respond = way === 'healthy'
    const pairs = await inPairs(PAIRS, send, () => besideEndpoints(id, { respond }, () => send()))
    for (const [without, beside] of pairs) {
      none.push(...without)
      all[way].push(...beside)
      ways[way].push([median(without), median(beside)])
    }
  }
  const timesOf = (took: readonly number[]): string =>
    `${percentile(took, 0.5).toFixed(1)} / ${percentile(took, 0.99).toFixed(0)} ms`
  say('a message to a provider, no endpoints, p50 / p99', timesOf(none))
  say(`beside ${BLACK_HOLES} endpoints that respond, p50 / p99`, timesOf(all.healthy))
  say(`beside ${BLACK_HOLES} that never respond, p50 / p99`, timesOf(all.holes))
  say(`longer beside ${BLACK_HOLES} that respond, p50`, percent(-lossOf(ways.healthy)))
  say(`longer beside ${BLACK_HOLES} that never respond, p50`, percent(-lossOf(ways.holes)), '0 %')
})

test('the results are written', async () => {
  writePlatformSection('Webhooks', [
    producedBy({
      script: 'bench:webhooks',
      postgres: await postgresOf(app.db),
      shared: SHARED,
      busy,
    }),
    '',
    `From the commit: ${PER_SECOND} events a second for ${SECONDS} s to two endpoints. Deliveries: a backlog of ${number(BACKLOG)} events to two endpoints, in ${PAIRS} pairs of windows. Messages: ${MESSAGES} in each window by ${SENDERS} callers, each at most one in ${EVERY_MS} ms, timed from \`POST /conversations/{id}/messages\` until the provider has accepted them, in ${PAIRS} pairs of windows for each comparison; each leaves two events for each endpoint. Endpoints that never respond are new in each window, so that no circuit is open.`,
    '',
    ...tableOf(figures),
  ])
})
