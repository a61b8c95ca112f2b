import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { verify, WebhookVerificationError } from './typescript/src/webhooks.ts'

const SECRET = `whsec_${randomBytes(32).toString('base64')}`
const EVENT = { type: 'message.created', data: { body: 'Grüße 👋' } }
const BODY = JSON.stringify(EVENT)

const signed = (body = BODY, secret = SECRET, at = new Date()) => ({
  'webhook-id': 'msg_1',
  'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
  'webhook-signature': new Webhook(secret).sign('msg_1', at, body),
})

const refused = (work: Promise<unknown>, message: RegExp) =>
  assert.rejects(work, (error) => error instanceof WebhookVerificationError && message.test(error.message))

test('what the project’s own library signs is accepted, as text and bytes, under either secret', async () => {
  const bytes = new TextEncoder().encode(BODY)
  for (const body of [BODY, bytes, Buffer.from(BODY), bytes.buffer as ArrayBuffer])
    assert.deepEqual(await verify(body, signed(), SECRET), EVENT)
  assert.deepEqual(await verify(BODY, new Headers(signed()), SECRET), EVENT)
  assert.deepEqual(
    await verify(BODY, signed(), [`whsec_${randomBytes(32).toString('base64')}`, SECRET]),
    EVENT,
  )
  const headers = signed()
  const rotated = { ...headers, 'webhook-signature': `v1,AAAA v1a,x ${headers['webhook-signature']}` }
  assert.deepEqual(await verify(BODY, rotated, SECRET), EVENT)
  const arrays = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]),
  )
  assert.deepEqual(await verify(BODY, arrays, SECRET), EVENT)
})

test('everything else is refused, and says why', async () => {
  const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000)
  const headers = signed()
  await refused(verify(`${BODY} `, headers, SECRET), /does not match/)
  await refused(verify(JSON.stringify(EVENT, null, 2), headers, SECRET), /pass the raw body/)
  await refused(verify(EVENT as never, headers, SECRET), /before it is parsed/)
  await refused(verify(BODY, { ...headers, 'webhook-id': 'other' }, SECRET), /does not match/)
  await refused(verify(BODY, { ...headers, 'webhook-id': undefined }, SECRET), /webhook-id is missing/)
  await refused(verify(BODY, {}, SECRET), /missing/)
  await refused(verify(BODY, signed(BODY, SECRET, ago(310)), SECRET), /too old/)
  await refused(verify(BODY, signed(BODY, SECRET, ago(-310)), SECRET), /future/)
  await refused(verify(BODY, { ...headers, 'webhook-timestamp': 'now' }, SECRET), /not a number/)
  await refused(verify(BODY, { ...headers, 'webhook-signature': 'v1a,abc' }, SECRET), /no v1 signature/)
  await refused(verify(BODY, { ...headers, 'webhook-signature': 'v1,\u0000' }, SECRET), /does not match/)
  await refused(verify(BODY, headers, ''), /whsec_/)
  await refused(verify(BODY, headers, []), /does not match/)
  assert.deepEqual(await verify(BODY, headers, SECRET.slice('whsec_'.length)), EVENT)
  const text = 'not JSON'
  await refused(verify(text, signed(text), SECRET), /not JSON/)
})
