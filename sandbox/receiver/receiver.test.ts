// The receiver of webhooks, over HTTP, with requests as the library of the Standard Webhooks project signs them.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { startSandbox } from '../sandbox.ts'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const sandbox = await startSandbox()
after(() => sandbox.stop())
const { control } = sandbox

type Sent = {
  sequence?: number
  previous?: number | null
  conversationId?: string | null
  id?: string
  ageSeconds?: number
  secret?: string
  headers?: Record<string, string>
  body?: string
}

const send = async ({
  sequence = 1,
  previous = null,
  conversationId = 'c1',
  id = `e${sequence}`,
  ageSeconds = 0,
  secret = SECRET,
  headers = {},
  body = JSON.stringify({ type: 'message.created', sequence, previous, conversationId }),
}: Sent): Promise<number | null> => {
  const at = new Date(Date.now() - ageSeconds * 1_000)
  try {
    const response = await fetch(control.receiver().url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
        'webhook-signature': new Webhook(secret).sign(id, at, body),
        ...headers,
      },
      body,
      signal: AbortSignal.timeout(2_000),
    })
    return response.status
  } catch {
    return null
  }
}

const restart = (): void => {
  control.clearReceiver()
  control.setReceiver({ secret: SECRET })
}
const verdicts = () => control.receiver().received.map(({ verdict }) => verdict)

test('a signature is valid as the library signs it, and is checked again when the secret is pasted later', async () => {
  restart()
  control.setReceiver({ secret: null })
  assert.equal(await send({}), 200)
  assert.deepEqual(verdicts(), ['no-secret'])
  control.setReceiver({ secret: SECRET })
  assert.deepEqual(verdicts(), ['valid'])
  const other = 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
  control.setReceiver({ secret: other })
  assert.deepEqual(verdicts(), ['wrong-signature'])
  const [one] = control.receiver().received
  assert.equal(one!.headers['webhook-id'], 'e1')
  assert.equal(JSON.parse(one!.body).type, 'message.created')
})

test('of several signatures one has to be valid; what is old, changed or not signed is said', async () => {
  restart()
  const at = new Date()
  const right = new Webhook(SECRET).sign('e1', at, '{}')
  await send({ body: '{}', headers: { 'webhook-signature': `v1a,AAAA v1,AAAA ${right}` } })
  await send({ ageSeconds: 400 })
  await send({ ageSeconds: -400 })
  await send({ headers: { 'webhook-timestamp': 'now' } })
  await send({ headers: { 'webhook-signature': '' } })
  await send({ headers: { 'webhook-signature': right.slice(0, -2) } })
  await send({ secret: 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' })
  assert.deepEqual(verdicts().reverse(), [
    'valid',
    'too-old',
    'too-new',
    'no-timestamp',
    'no-headers',
    'wrong-signature',
    'wrong-signature',
  ])
})

test('repeats, what comes late in a conversation and what hasn’t come are seen', async () => {
  restart()
  await send({ sequence: 1 })
  await send({ sequence: 4, previous: 3 })
  await send({ sequence: 5, previous: 4, conversationId: 'c2' })
  await send({ sequence: 3, previous: 1 })
  await send({ sequence: 4, previous: 3 })
  await send({ sequence: 2, previous: 1, headers: { 'foyer-kind': 'replay' } })
  assert.deepEqual(
    control
      .receiver()
      .received.reverse()
      .map(({ event, isRepeat, isLate, missing }) => [event.sequence, isRepeat, isLate, missing]),
    [
      [1, false, false, null],
      [4, false, false, 3],
      [5, false, false, null],
      [3, false, true, null],
      [4, true, false, null],
      [2, false, false, null],
    ],
  )
})

test('it fails as asked, as often as asked, and what it refused is no repeat', async () => {
  restart()
  control.addReceiverFault({ kind: 'server-error', times: 2 })
  control.addReceiverFault({ kind: 'gone' })
  control.addReceiverFault({ kind: 'cut' })
  control.addReceiverFault({ kind: 'slow', delayMs: 1 })
  const statuses = []
  for (let at = 0; at < 6; at++) statuses.push(await send({}))
  assert.deepEqual(statuses, [500, 500, 410, null, 200, 200])
  assert.deepEqual(
    control.receiver().received.map(({ status, isRepeat }) => [status, isRepeat]),
    [200, 200, null, 410, 500, 500].map((status, at) => [status, at === 0]),
  )
  control.addReceiverFault({ kind: 'hang' })
  const hanging = new AbortController()
  const asked = fetch(control.receiver().url, { method: 'POST', body: 'x', signal: hanging.signal })
  while (control.receiver().received[0]!.status !== null) await new Promise(setImmediate)
  hanging.abort()
  await assert.rejects(asked)
  assert.deepEqual(control.receiver().faults, [])
})

test('what is no event is kept too, and only the latest 200', async () => {
  restart()
  await Promise.all(Array.from({ length: 201 }, () => send({ body: 'null' })))
  await send({ body: '<html>', headers: { 'content-type': 'text/html' } })
  const { received } = control.receiver()
  assert.equal(received.length, 200)
  assert.deepEqual([received[0]!.body, received[0]!.event.type], ['<html>', null])
  assert.equal(await send({ body: 'x'.repeat(1024 * 1024 + 1) }), 413)
  const response = await fetch(`${sandbox.url}/control/receiver`, {
    method: 'PATCH',
    body: JSON.stringify({ secret: 'not a secret' }),
  })
  assert.equal(response.status, 400)
})
