// What receivers get, and what becomes of it. Every receiver is a real server on loopback.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { Webhook } from 'standardwebhooks'
import { startApp } from '../../test/app.ts'
import { until } from '../../test/until.ts'
import { createEndpoint } from '../domain/webhooks/create-endpoint.ts'
import { makeEvents } from '../domain/webhooks/testing/make-events.ts'
import { startReceiver } from '../domain/webhooks/testing/receiver.ts'
import { DELIVERY_TIMING } from './delivery-timing.ts'
import { startWebhookSender } from './send-webhooks.ts'
import { sweepWebhooks } from './sweep-webhooks.ts'

const app = await startApp({ worker: true })
const { make, call, db } = app

const setUp = async (url: string, more: object = {}) => {
  const workspace = await make.workspace()
  const { secret: token } = await make.token(workspace.id)
  const { status, body } = await call(token, 'POST', '/webhook-endpoints', { url, ...more })
  assert.equal(status, 200, JSON.stringify(body))
  const { webhookEndpoint: endpoint, secret } = body
  return { workspaceId: workspace.id, token, endpoint, secret }
}

test('a delivery is signed as the Standard Webhooks library verifies, and says what happened', async () => {
  const receiver = await startReceiver()
  const { workspaceId, token, endpoint, secret } = await setUp(receiver.url, {
    headers: [{ name: 'Authorization', value: 'Bearer of-theirs' }],
  })
  const [event] = await makeEvents(app, workspaceId, [
    { data: { messageId: 'c1', direction: 'inbound' }, actor: 'token:c9' },
  ])
  await until(() => receiver.received.length === 1, 'the delivery')
  const [{ headers, body }] = receiver.received as [(typeof receiver.received)[0]]
  assert.ok(new Webhook(secret).verify(body, headers))
  assert.throws(() => new Webhook(secret).verify(`${body} `, headers))
  assert.equal(headers['webhook-id'], event!.id)
  assert.equal(headers.authorization, 'Bearer of-theirs')
  assert.deepEqual(
    [headers['content-type'], headers['foyer-attempt'], headers['foyer-endpoint'], headers['foyer-kind']],
    ['application/json', '1', endpoint.id, 'live'],
  )
  assert.match(headers['user-agent']!, /^Foyer-Webhooks\/1 \(\+http/)
  const { id, type, sequence, previous, actor, data } = JSON.parse(body)
  assert.deepEqual(
    { id, type, sequence, previous, actor, data },
    {
      id: event!.id,
      type: 'message.created',
      sequence: 1,
      previous: null,
      actor: { type: 'token', id: 'api:c9' },
      data: { messageId: 'c1', direction: 'inbound' },
    },
  )
  const log = async () => (await call(token, 'GET', `/webhook-endpoints/${endpoint.id}/deliveries`)).body
  await until(async () => (await log()).deliveries[0].state === 'delivered', 'the record')
  const { deliveries } = await log()
  const details = await call(token, 'GET', `/webhook-deliveries/${deliveries[0].id}`)
  assert.equal(details.body.requestBody, body)
  assert.equal(details.body.attempts.length, 1)
})

const deliveriesOf = async (token: string, { id }: { id: string }, query = '') =>
  (await call(token, 'GET', `/webhook-endpoints/${id}/deliveries${query}`)).body.deliveries

test('the library’s own signature is that of ours, and a test shows what was signed and what came back', async () => {
  const receiver = await startReceiver((_, response) => {
    response.writeHead(202, { 'x-theirs': 'yes', 'set-cookie': 'a=b' }).end('thanks')
    return undefined
  })
  const { token, endpoint, secret } = await setUp(receiver.url)
  const { status, body } = await call(token, 'POST', `/webhook-endpoints/${endpoint.id}/test`, {
    type: 'contact.created',
  })
  assert.equal(status, 200, JSON.stringify(body))
  const { signed, attempt, delivery } = body
  assert.deepEqual(
    [delivery.state, delivery.kind, delivery.type, attempt.status],
    ['delivered', 'test', 'contact.created', 202],
  )
  // The receiver is inside, so the operator's list let us in: nothing of its response is shown.
  assert.deepEqual([attempt.responseBody, attempt.responseHeaders], [null, null])
  const [{ headers, body: received }] = receiver.received as [(typeof receiver.received)[0]]
  assert.equal(received, signed.body)
  const at = new Date(Number(signed.timestamp) * 1_000)
  assert.equal(headers['webhook-signature'], new Webhook(secret).sign(signed.id, at, signed.body))
})

test('while secrets overlap, both verify; then only the new one does', async () => {
  const receiver = await startReceiver()
  const { workspaceId, token, endpoint, secret } = await setUp(receiver.url)
  const rotate = (overlapHours: number) =>
    call(token, 'POST', `/webhook-endpoints/${endpoint.id}/rotate-secret`, { overlapHours })
  const second = (await rotate(24)).body
  assert.ok(second.previousValidUntil)
  await makeEvents(app, workspaceId, [{}])
  await until(() => receiver.received.length === 1, 'the first')
  const { headers, body } = receiver.received[0]!
  for (const one of [secret, second.secret]) assert.ok(new Webhook(one).verify(body, headers))
  const third = (await rotate(0)).body
  await makeEvents(app, workspaceId, [{}])
  await until(() => receiver.received.length === 2, 'the second')
  const last = receiver.received[1]!
  assert.ok(new Webhook(third.secret).verify(last.body, last.headers))
  assert.throws(() => new Webhook(second.secret).verify(last.body, last.headers))
})

/** What a receiver may do to us, and how the attempt ends. */
const HOSTILE: [string, Parameters<typeof startReceiver>[0], number | null][] = [
  [
    'a redirect to the metadata service',
    (_, r) => void r.writeHead(301, { location: 'http://169.254.169.254/' }).end(),
    301,
  ],
  [
    'a body without an end',
    (_, r) => {
      r.writeHead(200)
      const chunk = Buffer.alloc(65_536)
      const more = () => {
        while (!r.destroyed && r.write(chunk));
      }
      r.on('drain', more)
      more()
      return undefined
    },
    200,
  ],
  ['headers, and then silence', (_, r) => void r.writeHead(200).write('x'), 200],
  [
    'headers without an end',
    (_, r) => {
      r.socket!.write('HTTP/1.1 200 OK\r\n')
      for (let index = 0; index < 500; index++) r.socket!.write(`x-${index}: ${'y'.repeat(100)}\r\n`)
      return undefined
    },
    null,
  ],
  ['a reset', (_, r) => void r.socket!.resetAndDestroy(), null],
  ['no HTTP at all', (_, r) => void r.socket!.end('SSH-2.0-OpenSSH_9.9\r\n'), null],
  [
    'an informational response first',
    (_, r) => {
      r.writeProcessing()
      return 204
    },
    204,
  ],
  [
    'an early success, and then a reset',
    (_, r) => {
      r.writeHead(200).write('x')
      setImmediate(() => r.socket?.resetAndDestroy())
      return undefined
    },
    200,
  ],
  ['an absurd Retry-After', (_, r) => void r.writeHead(503, { 'retry-after': '99999999999' }).end(), 503],
  [
    'a Retry-After of 1970',
    (_, r) => void r.writeHead(503, { 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }).end(),
    503,
  ],
]

for (const [name, behave, status] of HOSTILE)
  test(`a receiver answers with ${name}: the attempt ends, and the next one can be made`, async () => {
    const receiver = await startReceiver(behave)
    const { workspaceId, token, endpoint } = await setUp(receiver.url)
    await makeEvents(app, workspaceId, [{}])
    const found = async () => (await deliveriesOf(token, endpoint))[0]
    await until(async () => (await found())?.lastAttemptAt !== null, 'the attempt')
    const delivery = await found()
    assert.equal(delivery.lastStatus, status)
    const isDelivered = status !== null && status < 300
    assert.equal(delivery.state, isDelivered ? 'delivered' : 'pending')
    if (!isDelivered) assert.ok(Date.parse(delivery.nextAttemptAt) <= Date.now() + 24 * 3_600_000 + 60_000)
    receiver.behave(() => 200)
    if (isDelivered) return
    await call(token, 'POST', `/webhook-deliveries/${delivery.id}/retry`)
    await until(async () => (await found()).state === 'delivered', 'the retry')
    assert.deepEqual(
      receiver.received.map(({ headers }) => headers['webhook-id']),
      Array.from({ length: receiver.received.length }, () => delivery.eventId),
    )
  })

test('410 disables the endpoint; enabled again, it gets what it missed', async () => {
  const receiver = await startReceiver(() => 410)
  const { workspaceId, token, endpoint } = await setUp(receiver.url, { eventTypes: ['message.*'] })
  await makeEvents(app, workspaceId, [{}])
  const get = async () => (await call(token, 'GET', `/webhook-endpoints/${endpoint.id}`)).body.webhookEndpoint
  await until(async () => (await get()).status === 'disabled', 'the endpoint to be disabled')
  assert.equal((await get()).statusReason, 'gone')
  await makeEvents(app, workspaceId, [{}, { type: 'contact.created' }, {}])
  receiver.behave(() => 200)
  assert.equal((await deliveriesOf(token, endpoint)).length, 1)
  await call(token, 'POST', `/webhook-endpoints/${endpoint.id}/enable`, { backlog: 'send' })
  await until(() => receiver.received.length === 4, 'what was missed')
  const events = receiver.received.slice(1).map(({ event }) => event)
  const sequences = events.map(({ sequence }) => sequence).sort()
  assert.deepEqual(events.map(({ previous }) => previous).sort(), [...sequences.slice(0, 2), null])
  assert.equal(sequences[0], 1)
})

test('the others are told that an endpoint was disabled, and it is never told of itself', async () => {
  const gone = await startReceiver(() => 410)
  const { workspaceId, token, endpoint } = await setUp(gone.url)
  const receiver = await startReceiver()
  const types = ['webhook_endpoint.*']
  await call(token, 'POST', '/webhook-endpoints', { url: receiver.url, eventTypes: types })
  await makeEvents(app, workspaceId, [{}])
  await until(() => receiver.received.length === 1, 'the event about the other endpoint')
  const { type, data, actor } = receiver.received[0]!.event
  assert.deepEqual(
    [type, data.endpointId, data.reason, actor],
    ['webhook_endpoint.disabled', endpoint.id, 'gone', { type: 'system', id: null }],
  )
  assert.ok(Date.parse(data.since) <= Date.now())
  gone.behave(() => 200)
  await call(token, 'POST', `/webhook-endpoints/${endpoint.id}/enable`, { backlog: 'send' })
  await makeEvents(app, workspaceId, [{}])
  await until(() => gone.received.length === 3, 'what it missed')
  assert.deepEqual([...new Set(gone.received.map(({ event }) => event.type))], ['message.created'])
  // By somebody, too.
  await call(token, 'POST', `/webhook-endpoints/${endpoint.id}/disable`)
  await call(token, 'POST', `/webhook-endpoints/${endpoint.id}/disable`)
  await until(() => receiver.received.length === 2, 'the second event')
  assert.deepEqual(receiver.received[1]!.event.data, {
    endpointId: endpoint.id,
    since: null,
    reason: 'admin',
  })
})

test('a skipped backlog is dropped, and what comes after it is sent', async () => {
  const receiver = await startReceiver()
  const { workspaceId, token, endpoint } = await setUp(receiver.url)
  await call(token, 'POST', `/webhook-endpoints/${endpoint.id}/pause`)
  await makeEvents(app, workspaceId, [{ conversationId: 'a' }, { conversationId: 'a' }])
  await call(token, 'POST', `/webhook-endpoints/${endpoint.id}/enable`, { backlog: 'skip' })
  await makeEvents(app, workspaceId, [{ conversationId: 'a' }])
  await until(async () => (await deliveriesOf(token, endpoint, '?state=dropped')).length === 2, 'the drop')
  await until(() => receiver.received.length === 1, 'the next event')
  assert.deepEqual(receiver.sequences(), [3])
})

test('a replay sends the same bytes again, of what was asked for, while new events go on', async () => {
  const receiver = await startReceiver()
  const { workspaceId, token, endpoint } = await setUp(receiver.url)
  await makeEvents(app, workspaceId, [{}, { type: 'note.created' }, {}, {}])
  await until(() => receiver.received.length === 4, 'the events')
  const before = new Map(receiver.received.map(({ headers, body }) => [headers['webhook-id'], body]))
  const replay = (body: object) => call(token, 'POST', `/webhook-endpoints/${endpoint.id}/replay`, body)
  assert.equal((await replay({ from: 1, to: 3, types: ['message.*'] })).body.replay.count, 2)
  await until(() => receiver.received.length === 6, 'the replay')
  for (const { headers, body } of receiver.received.slice(4)) {
    assert.equal(body, before.get(headers['webhook-id']!))
    assert.equal(headers['foyer-kind'], 'replay')
  }
  assert.equal((await replay({ from: 1, state: 'failed' })).body.replay.count, 0)
  assert.equal((await replay({ from: '2020-01-01T00:00:00.000Z' })).body.replay.count, 4)
  assert.equal((await replay({ from: 1, to: '2030-01-01T00:00:00.000Z' })).status, 400)
})

test('an event has the epoch in which it was numbered, always the same, and one of an earlier release has none', async () => {
  const receiver = await startReceiver()
  const { workspaceId, token, endpoint } = await setUp(receiver.url)
  await makeEvents(app, workspaceId, [{ epoch: 1_700_000_000 }, {}])
  await until(() => receiver.received.length === 2, 'the deliveries')
  assert.deepEqual(
    receiver.received.map(({ event }) => event.epoch),
    [(1_700_000_000).toString(36), undefined],
  )
  await db.updateTable('event_epoch').set({ number: 1_800_000_000 }).execute()
  await call(token, 'POST', `/webhook-endpoints/${endpoint.id}/replay`, { from: 1 })
  await until(() => receiver.received.length === 4, 'the replay')
  const bodies = receiver.received.map(({ body }) => body)
  assert.deepEqual(bodies.slice(2).sort(), bodies.slice(0, 2).sort())
})

test('filters leave out what isn’t wanted, and changes of one’s own', async () => {
  const receiver = await startReceiver()
  const { workspaceId, token } = await setUp(receiver.url, {
    eventTypes: ['message.created', 'contact.*'],
    filter: { channels: ['web'], directions: ['inbound'], notActors: ['self', 'automation'] },
  })
  const { body } = await call(token, 'GET', '/webhook-endpoints')
  const self = `token:${body.webhookEndpoints[0].createdBy.id}`
  const inbound = { data: { direction: 'inbound' } }
  await makeEvents(app, workspaceId, [
    { ...inbound, channel: 'whatsapp' },
    { data: { direction: 'outbound' } },
    { ...inbound, actor: self },
    { ...inbound, actor: 'automation:c1' },
    { ...inbound, channel: null },
    { type: 'note.created' },
    { type: 'contact.updated', actor: 'token:other' },
    inbound,
  ])
  await until(() => receiver.received.length === 2, 'two events')
  assert.deepEqual(receiver.sequences().sort(), [7, 8])
})

test('an endpoint is sent only its own workspace’s events, and a deleted one nothing', async () => {
  const receiver = await startReceiver()
  const ours = await setUp(receiver.url)
  const theirs = await setUp(receiver.url)
  await makeEvents(app, theirs.workspaceId, [{ data: { of: 'theirs' } }])
  await until(() => receiver.received.length === 1, 'theirs')
  assert.equal(receiver.received[0]!.headers['foyer-endpoint'], theirs.endpoint.id)
  assert.equal((await call(theirs.token, 'DELETE', `/webhook-endpoints/${theirs.endpoint.id}`)).status, 200)
  await makeEvents(app, theirs.workspaceId, [{}])
  await makeEvents(app, ours.workspaceId, [{ data: { of: 'ours' } }])
  await until(() => receiver.received.length === 2, 'ours')
  assert.deepEqual(receiver.received[1]!.event.data, { of: 'ours' })
  await until(
    async () =>
      (await db.selectFrom('webhook_endpoints').select('id').where('id', '=', theirs.endpoint.id).execute())
        .length === 0,
    'the rest to be deleted',
  )
})

test('what happens through the API arrives, numbered, with who did it', async () => {
  const receiver = await startReceiver()
  const { workspaceId, token } = await setUp(receiver.url, { ordering: 'strict' })
  const { id: contactId } = await make.contact(workspaceId, { name: 'Ada' })
  const changes = await Promise.all(
    ['Ada L.', 'Ada Lovelace'].map((name) => call(token, 'PATCH', `/contacts/${contactId}`, { name })),
  )
  assert.deepEqual(
    changes.map(({ status }) => status),
    [200, 200],
  )
  await until(() => receiver.received.length === 2, 'both changes')
  assert.deepEqual(
    receiver.received.map(({ event }) => [
      event.type,
      event.sequence,
      event.previous,
      event.actor.type,
      event.contactId,
    ]),
    [
      ['contact.updated', 1, null, 'token', contactId],
      ['contact.updated', 2, 1, 'token', contactId],
    ],
  )
})

test('no secret, header or body of a webhook is in a log', async () => {
  const lines: string[] = []
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) })
  const quiet = await startApp()
  const receiver = await startReceiver(() => 500)
  const { id: workspaceId } = await quiet.make.workspace()
  const { secret } = await createEndpoint(quiet.ctxOf(workspaceId), {
    url: `${receiver.url}?key=in-the-url`,
    headers: [{ name: 'x-key', value: 'their-secret' }],
  })
  const sender = await startWebhookSender(
    { ...quiet.deps, log, timing: DELIVERY_TIMING, isStopping: () => false },
    { connectionString: quiet.database.connectionString, pollMs: 50 },
  )
  await makeEvents(quiet, workspaceId, [{ data: { name: 'private-data' } }])
  await until(() => lines.some((line) => line.includes('"status":500')), 'the log')
  await sender.stop()
  const logged = lines.join('')
  for (const hidden of [secret!.slice(6, 20), 'their-secret', 'private-data', 'in-the-url'])
    assert.ok(!logged.includes(hidden), hidden)
})

test('the endpoint of a revoked token, and of one without the scope, is disabled and gets nothing', async () => {
  const receiver = await startReceiver()
  const { workspaceId, endpoint } = await setUp(receiver.url)
  const admin = await make.token(workspaceId)
  await db
    .updateTable('api_tokens')
    .set({ revoked_at: new Date() })
    .where('id', '=', endpoint.createdBy.id)
    .execute()
  await makeEvents(app, workspaceId, [{}])
  await sweepWebhooks({ ...app.deps, log: app.app.log, now: () => new Date(), isStopping: () => false })
  const get = async () =>
    (await call(admin.secret, 'GET', `/webhook-endpoints/${endpoint.id}`)).body.webhookEndpoint
  assert.deepEqual([(await get()).status, (await get()).statusReason], ['disabled', 'scope_lost'])
  assert.equal(receiver.received.length, 0)
  await call(admin.secret, 'POST', `/webhook-endpoints/${endpoint.id}/enable`, { backlog: 'send' })
  await until(() => receiver.received.length === 1, 'what was missed, once somebody else has taken it over')
})

test('full events contain what they are about, as it was then', async () => {
  const receiver = await startReceiver()
  const { workspaceId, token } = await setUp(receiver.url, { payload: 'full', ordering: 'strict' })
  const { id } = await make.contact(workspaceId, { name: 'Ada' })
  await call(token, 'PATCH', `/contacts/${id}`, { name: 'Ada L.' })
  await until(() => receiver.received.length === 1, 'the first change')
  await call(token, 'PATCH', `/contacts/${id}`, { name: 'Ada Lovelace' })
  await until(() => receiver.received.length === 2, 'the second')
  assert.deepEqual(
    receiver.received.map(({ event }) => [event.object.id, event.object.name, event.objectTruncated]),
    [
      [id, 'Ada L.', false],
      [id, 'Ada Lovelace', false],
    ],
  )
})
