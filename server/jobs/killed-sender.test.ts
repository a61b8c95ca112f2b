// Webhooks while workers are killed: none is lost, and only what was in flight comes twice.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/app.ts'
import { until } from '../../test/until.ts'
import { createEndpoint } from '../domain/webhooks/create-endpoint.ts'
import { makeEvents } from '../domain/webhooks/testing/make-events.ts'
import { startReceiver } from '../domain/webhooks/testing/receiver.ts'
import { kill, startKillable } from './testing/killable.ts'

const KILLS = 3
const EVENTS = 40

test('a worker that is killed loses no webhook, and repeats none but those it was sending', async () => {
  const app = await startApp()
  const workspace = await app.make.workspace()
  let worker = await startKillable(app.database.connectionString)
  let isHeld = true
  let killed = 0
  const inFlight = new Set<string>()
  const waiting: (() => void)[] = []
  const receiver = await startReceiver(async ({ headers }) => {
    if (!isHeld) return 200
    inFlight.add(headers['webhook-id']!)
    await new Promise<void>((resolve) => waiting.push(resolve))
    return 200
  })
  await createEndpoint(app.ctxOf(workspace.id), { url: receiver.url })
  const events = Array.from({ length: EVENTS }, (_, index) => ({ conversationId: `c${index % 8}` }))
  await makeEvents(app, workspace.id, events)
  for (; killed < KILLS; killed++) {
    const before = receiver.received.length
    await until(() => receiver.received.length > before, 'a request')
    await kill(worker)
    for (const go of waiting.splice(0)) go()
    worker = await startKillable(app.database.connectionString)
  }
  isHeld = false
  for (const go of waiting.splice(0)) go()
  await until(
    async () =>
      (await app.db.selectFrom('webhook_deliveries').select('id').where('state', '=', 'delivered').execute())
        .length === EVENTS,
    'all to be delivered',
    60_000,
  )
  await kill(worker)
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']!)
  assert.equal(new Set(ids).size, EVENTS)
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index)
  assert.ok(twice.length > 0)
  for (const id of twice)
    assert.ok(inFlight.has(id), 'it was repeated although its response had been recorded')
})
