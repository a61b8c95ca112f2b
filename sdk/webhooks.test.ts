import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { LANGUAGES } from './testing/languages.ts'
import { verify } from './typescript/src/webhooks.ts'

const SECRET = `whsec_${randomBytes(32).toString('base64')}`
const OTHER = `whsec_${randomBytes(32).toString('base64')}`
const EVENT = { type: 'message.created', data: { body: 'Grüße 👋' } }
const BODY = JSON.stringify(EVENT)

const signed = (body = BODY, secret = SECRET, at = new Date()): Record<string, string> => ({
  'webhook-id': 'msg_1',
  'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
  'webhook-signature': new Webhook(secret).sign('msg_1', at, body),
})

const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000)

for (const language of LANGUAGES) {
  const { name, skip } = language

  test(`${name}: what the project’s own library signs is accepted, under either secret`, {
    skip,
  }, async () => {
    const headers = signed()
    const accepted = async (webhook: Partial<Parameters<typeof language.verify>[0]>) => {
      const found = await language.verify({ body: BODY, headers, secret: SECRET, ...webhook })
      assert.deepEqual(found.data, EVENT, found.error?.message)
    }
    await accepted({})
    await accepted({ body: new TextEncoder().encode(BODY) })
    await accepted({ secret: [OTHER, SECRET] })
    await accepted({ secret: SECRET.slice('whsec_'.length) })
    await accepted({
      headers: { ...headers, 'webhook-signature': `v1,AAAA v1a,x ${headers['webhook-signature']}` },
    })
    // As some servers pass them.
    await accepted({
      headers: Object.fromEntries(
        Object.entries(headers).map(([header, value]) => [header.toUpperCase(), [value]]),
      ),
    })
    await accepted({ headers: signed(BODY, SECRET, ago(290)) })
    await accepted({ headers: signed(BODY, SECRET, ago(310)), toleranceSeconds: 600 })
  })

  test(`${name}: everything else is refused, and says why`, { skip }, async () => {
    const headers = signed()
    const { 'webhook-id': _, ...anonymous } = headers
    const refused = async (
      message: RegExp,
      webhook: Partial<Parameters<typeof language.verify>[0]>,
    ): Promise<void> => {
      const { error } = await language.verify({ body: BODY, headers, secret: SECRET, ...webhook })
      assert.equal(error?.name, 'WebhookVerificationError', message.source)
      assert.match(error.message, message)
    }
    const withHeader = (header: string, value: string) => ({ headers: { ...headers, [header]: value } })
    await refused(/does not match/, { body: `${BODY} ` })
    await refused(/pass the raw body/, { body: JSON.stringify(EVENT, null, 2) })
    await refused(/before it is parsed/, { body: { parsed: BODY } })
    await refused(/does not match/, withHeader('webhook-id', 'other'))
    await refused(/webhook-id is missing/, { headers: anonymous })
    await refused(/missing/, { headers: {} })
    await refused(/too old/, { headers: signed(BODY, SECRET, ago(310)) })
    await refused(/future/, { headers: signed(BODY, SECRET, ago(-310)) })
    for (const time of ['now', '1e9', '-1', '١', `${headers['webhook-timestamp']}\n`])
      await refused(/not a number/, withHeader('webhook-timestamp', time))
    await refused(/no v1 signature/, withHeader('webhook-signature', 'v1a,abc'))
    for (const signature of ['v1,\u0000', 'v1,ü', 'v1,', 'v1,AAAA'])
      await refused(/does not match/, withHeader('webhook-signature', signature))
    await refused(/does not match/, { secret: OTHER })
    await refused(/does not match/, { secret: [] })
    await refused(/whsec_/, { secret: '' })
    await refused(/whsec_/, { secret: 'whsec_' })
    const text = 'not JSON'
    await refused(/not JSON/, { body: text, headers: signed(text) })
  })
}

test('the headers of a Request and every kind of bytes are accepted', async () => {
  const bytes = new TextEncoder().encode(BODY)
  for (const body of [bytes, Buffer.from(BODY), bytes.buffer as ArrayBuffer])
    assert.deepEqual(await verify(body, new Headers(signed()), SECRET), EVENT)
})
