// `npm run bench:webhooks`: how soon a receiver gets an event, how many deliveries one process makes, and what receivers
// that never respond cost the others. Everything shares the cores: PostgreSQL, the server and the receivers.
import { loadavg } from 'node:os'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { createEndpoint } from '../server/domain/webhooks/create-endpoint.ts'
import { enableEndpoint } from '../server/domain/webhooks/enable-endpoint.ts'
import { pauseEndpoint } from '../server/domain/webhooks/stop-endpoint.ts'
import { makeEvents } from '../server/domain/webhooks/testing/make-events.ts'
import { startReceiver } from '../server/domain/webhooks/testing/receiver.ts'
import { inTransaction } from '../server/platform/ctx/ctx.ts'
import { record } from '../server/platform/events/record.ts'
import { startApp } from '../test/app.ts'
import { until } from '../test/until.ts'

const PER_SECOND = 100
const SECONDS = 10
const BACKLOG = 3_000
const BLACK_HOLES = 10
const DEADLINE_MS = 120_000

const app = await startApp({ worker: true })
const { make } = app
const say = (text: string) => process.stdout.write(`${text} (load ${loadavg()[0]!.toFixed(1)})\n`)
const at = (sorted: readonly number[], share: number): string =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!.toFixed(0)

test('from the commit to the receiver, at 100 events a second and two endpoints', async () => {
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
  took.sort((a, b) => a - b)
  say(`commit to receiver: p50 ${at(took, 0.5)} ms, p99 ${at(took, 0.99)} ms`)
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
  for (let made = 0; made < BACKLOG; made += 500)
    await makeEvents(
      app,
      ctx.workspaceId,
      Array.from({ length: 500 }, (_, index) => ({ conversationId: `c${(made + index) % 300}` })),
    )
  const startedMs = performance.now()
  await Promise.all(ids.map((id) => enableEndpoint(ctx, id, { backlog: 'send' })))
  const count = () => receivers.reduce((sum, { received }) => sum + received.length, 0)
  await until(() => count() >= 2 * BACKLOG, 'the backlog', DEADLINE_MS)
  return (2 * BACKLOG) / ((performance.now() - startedMs) / 1_000)
}

test('deliveries a second, alone and beside receivers that never respond', async () => {
  await drainBacklog()
  const alone = await drainBacklog()
  say(`alone: ${alone.toFixed(0)} deliveries/s`)
  const { id: workspaceId } = await make.workspace()
  const hole = await startReceiver(() => undefined)
  for (let index = 0; index < BLACK_HOLES; index++)
    await createEndpoint(app.ctxOf(workspaceId), { url: hole.url, ordering: 'none' })
  await makeEvents(
    app,
    workspaceId,
    Array.from({ length: 100 }, () => ({})),
  )
  await until(() => hole.received.length >= BLACK_HOLES, 'requests that hang')
  const beside = await drainBacklog()
  say(`beside ${BLACK_HOLES} that never respond: ${beside.toFixed(0)} deliveries/s`)
})
