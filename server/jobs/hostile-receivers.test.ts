// Receivers that are old, broken or hostile, by TLS, HTTP and DNS, and those that use our own API against us.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import type { LookupAddress } from 'node:dns'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { configureOutbound } from '../../channels/protocol/outbound.ts'
import { startApp } from '../../test/app.ts'
import { OUTBOUND_ALLOW } from '../../test/outbound.ts'
import { until } from '../../test/until.ts'
import { makeEvents } from '../domain/webhooks/testing/make-events.ts'
import { startReceiver } from '../domain/webhooks/testing/receiver.ts'
import { memoryRateLimiter, type RateLimiter } from '../platform/http/rate-limit.ts'

const limits = memoryRateLimiter()
/** Only replays are limited here, as they are for everyone. */
const limiter: RateLimiter = {
  take: (key, limit) =>
    limits.take(key, key.endsWith(':replayWebhookEvents') ? limit : Number.MAX_SAFE_INTEGER),
}
const app = await startApp({ worker: true, deps: { limiter } })
const { make, call } = app

/** Names of this test; where they lead can change. */
const NAMES: Record<string, string> = {}
const resolve = (
  host: string,
  _: object,
  callback: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
): void => {
  const address = NAMES[host]
  setImmediate(() =>
    address
      ? callback(null, [{ address, family: 4 }])
      : callback(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), []),
  )
}
configureOutbound({ allow: OUTBOUND_ALLOW, resolve })

const setUp = async (url: string, more: object = {}) => {
  const { id: workspaceId, token } = await make.workspace()
  const { status, body } = await call(token, 'POST', '/webhook-endpoints', { url, ...more })
  assert.equal(status, 200, JSON.stringify(body))
  const { id } = body.webhookEndpoint
  return {
    ...{ workspaceId, token, id },
    endpoint: async () => (await call(token, 'GET', `/webhook-endpoints/${id}`)).body.webhookEndpoint,
    deliveries: async () =>
      (await call(token, 'GET', `/webhook-endpoints/${id}/deliveries?limit=100`)).body.deliveries,
    replay: (body: object) => call(token, 'POST', `/webhook-endpoints/${id}/replay`, body),
  }
}

const attemptOf = async ({ workspaceId, token, deliveries }: Awaited<ReturnType<typeof setUp>>) => {
  await makeEvents(app, workspaceId, [{}])
  await until(async () => (await deliveries())[0]?.lastAttemptAt, 'the attempt')
  const [{ id, lastStatus, state }] = await deliveries()
  const { body } = await call(token, 'GET', `/webhook-deliveries/${id}`)
  return { lastStatus, state, attempt: body.attempts[0] }
}

const directory = mkdtempSync(join(tmpdir(), 'foyer-certificates-'))
after(() => rmSync(directory, { recursive: true, force: true }))
const WITHOUT_OPENSSL =
  spawnSync('openssl', ['version']).status !== 0 && 'there is no openssl to make certificates with'

/** A certificate for a name by an authority that this process trusts, valid between two dates. */
const makeCertificate = (name: string, [from, to]: readonly [string, string]) => {
  const file = (end: string) => join(directory, `${name}-${from}.${end}`)
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: directory, stdio: 'ignore' })
  const request = ['req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  openssl(...request, '-subj', `/CN=${name}`, '-keyout', file('key'), '-out', file('csr'))
  writeFileSync(file('ext'), `subjectAltName=DNS:${name}\n`)
  openssl(
    ...[
      'ca',
      '-batch',
      '-config',
      'ca.conf',
      '-in',
      file('csr'),
      '-out',
      file('crt'),
      '-extfile',
      file('ext'),
    ],
    ...['-startdate', from, '-enddate', to, '-notext'],
  )
  return { key: readFileSync(file('key')), cert: readFileSync(file('crt')) }
}

const makeAuthority = (): void => {
  writeFileSync(
    join(directory, 'ca.conf'),
    '[ca]\ndefault_ca=own\n[own]\ndatabase=index.txt\nnew_certs_dir=.\nserial=serial\ncertificate=ca.crt\nprivate_key=ca.key\ndefault_md=sha256\npolicy=any\nunique_subject=no\n[any]\ncommonName=supplied\n',
  )
  writeFileSync(join(directory, 'index.txt'), '')
  writeFileSync(join(directory, 'serial'), '01\n')
  execFileSync(
    'openssl',
    [
      ...[
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-days',
        '3650',
      ],
      ...['-subj', '/CN=Authority of the tests', '-keyout', 'ca.key', '-out', 'ca.crt'],
    ],
    { cwd: directory, stdio: 'ignore' },
  )
  setDefaultCACertificates([...getCACertificates('default'), readFileSync(join(directory, 'ca.crt'), 'utf8')])
}

const VALID = ['20200101000000Z', '20490101000000Z'] as const
const EXPIRED = ['20200101000000Z', '20210101000000Z'] as const
const CERTIFICATES: [string, string, readonly [string, string], boolean][] = [
  ['for its name', 'good.example', VALID, true],
  ['for another name', 'other.example', VALID, false],
  ['that has expired', 'good.example', EXPIRED, false],
]

if (!WITHOUT_OPENSSL) makeAuthority()
for (const [what, name, dates, isGood] of CERTIFICATES)
  test(`a receiver with a certificate ${what} ${isGood ? 'gets' : 'doesn’t get'} the event`, {
    skip: WITHOUT_OPENSSL,
  }, async () => {
    let requests = 0
    const server = createServer(makeCertificate(name, dates), (_, response) => {
      requests++
      response.writeHead(204).end()
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    after(() => server.close().closeAllConnections())
    NAMES['good.example'] = '127.0.0.1'
    const place = await setUp(`https://good.example:${(server.address() as AddressInfo).port}/`)
    const { state, attempt } = await attemptOf(place)
    assert.deepEqual([state, requests], isGood ? ['delivered', 1] : ['pending', 0])
    if (!isGood) assert.match(attempt.error.message, /its certificate isn’t valid/)
  })

test('a receiver that speaks HTTP/1.0 has got the event', async () => {
  const receiver = await startReceiver((_, response) => {
    response.socket!.end('HTTP/1.0 200 OK\r\ncontent-type: text/plain\r\n\r\nthanks')
    return undefined
  })
  const { state, lastStatus } = await attemptOf(await setUp(receiver.url))
  assert.deepEqual([state, lastStatus], ['delivered', 200])
})

test('a response that is compressed although we asked for none is a response, however much it unpacks to', async () => {
  for (const content of ['thanks', Buffer.alloc(80 * 1024 * 1024)]) {
    const packed = gzipSync(content)
    const receiver = await startReceiver((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed)
      return undefined
    })
    const { state } = await attemptOf(await setUp(receiver.url))
    assert.equal(state, 'delivered')
    assert.equal(receiver.received[0]!.headers['accept-encoding'], 'identity')
  }
})

test('a name that leads inside after it was saved is refused at the next connection, and the endpoint disabled', async () => {
  const receiver = await startReceiver()
  const { port } = new URL(receiver.url)
  NAMES['moved.example'] = '127.0.0.1'
  const place = await setUp(`http://moved.example:${port}/hook`)
  await makeEvents(app, place.workspaceId, [{}])
  await until(() => receiver.received.length === 1, 'the first event')
  NAMES['moved.example'] = '10.1.2.3'
  // A connection that is kept alive would not look the name up.
  await until(async () => (await place.deliveries())[0].state === 'delivered', 'the record')
  receiver.closeConnections()
  await makeEvents(app, place.workspaceId, [{}])
  await until(async () => (await place.endpoint()).status === 'disabled', 'the endpoint to be disabled')
  assert.equal((await place.endpoint()).statusReason, 'url_refused')
  assert.equal(receiver.received.length, 1)
  const [{ id }] = await place.deliveries()
  const { text } = await call(place.token, 'GET', `/webhook-deliveries/${id}`)
  assert.match(text, /ADDRESS_NOT_ALLOWED/)
  assert.ok(!text.includes('10.1.2.3'))
})

test('an endpoint that replays everything whenever it gets something is held back, and new events still come', async () => {
  const refusals: number[] = []
  let place: Awaited<ReturnType<typeof setUp>> | undefined
  const receiver = await startReceiver(async () => {
    const { status } = await place!.replay({ from: 1 })
    if (status !== 200) refusals.push(status)
    return 200
  })
  place = await setUp(receiver.url)
  await makeEvents(app, place.workspaceId, [{}, {}])
  await until(() => refusals.length > 0, 'a refusal')
  assert.ok(refusals.every((status) => status === 429))
  await until(async () => (await place!.endpoint()).health.pending === 0, 'the end of it', 20_000)
  // Two events and ten replays of at most two each.
  assert.ok(receiver.received.length <= 22, String(receiver.received.length))
  const [event] = await makeEvents(app, place.workspaceId, [{}])
  await until(
    () => receiver.received.some(({ headers }) => headers['webhook-id'] === event!.id),
    'a new event',
  )
})

test('replays that overlap each send what they were asked for, in order, and hold up neither each other nor new events', async () => {
  const receiver = await startReceiver()
  const place = await setUp(receiver.url)
  const inOne = { conversationId: 'c1' }
  await makeEvents(app, place.workspaceId, [inOne, inOne, inOne, inOne])
  await until(() => receiver.received.length === 4, 'the events')
  await call(place.token, 'POST', `/webhook-endpoints/${place.id}/pause`)
  const [first, second] = await Promise.all([
    place.replay({ from: 1, to: 3 }),
    place.replay({ from: 2, to: 4 }),
  ])
  assert.deepEqual([first.body.replay.count, second.body.replay.count], [3, 3])
  const [event] = await makeEvents(app, place.workspaceId, [inOne])
  await call(place.token, 'POST', `/webhook-endpoints/${place.id}/enable`, { backlog: 'send' })
  await until(() => receiver.received.length === 11, 'both replays and the new event')
  const later = receiver.received.slice(4)
  const replayed = later.filter(({ headers }) => headers['foyer-kind'] === 'replay')
  assert.deepEqual(replayed.map(({ event }) => event.sequence).sort(), [1, 2, 2, 3, 3, 4])
  const deliveries: { replayId: string; sequence: number; firstAttemptAt: string }[] =
    await place.deliveries()
  for (const { body } of [first, second]) {
    const own = deliveries.filter(({ replayId }) => replayId === body.replay.id)
    const bySequence = own
      .toSorted((a, b) => a.sequence - b.sequence)
      .map(({ firstAttemptAt }) => firstAttemptAt)
    assert.deepEqual(bySequence, bySequence.toSorted())
  }
  const bodies = new Map(
    receiver.received.slice(0, 4).map(({ headers, body }) => [headers['webhook-id'], body]),
  )
  for (const { headers, body } of replayed) assert.equal(body, bodies.get(headers['webhook-id']!))
  assert.ok(
    later.some(({ headers }) => headers['webhook-id'] === event!.id && headers['foyer-kind'] === 'live'),
  )
})
