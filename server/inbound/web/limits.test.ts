import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { makePage } from './testing/visitor.ts'

const { app, make } = await startApp({ rateLimits: true })
const workspace = await make.workspace()
const channelId = await make.channelAccount(workspace.id)
let base = ''
let addresses = 0
const { ask, session } = makePage(() => base, channelId)
/** An address that no other test uses, so that its limit is unused. */
const freshAddress = () => ({ 'x-forwarded-for': `10.1.${Math.floor(++addresses / 250)}.${addresses % 250}` })

before(async () => {
  base = await app.listen({ port: 0, host: '127.0.0.1' })
})

test('an address can start sixty sessions a minute', async () => {
  const headers = freshAddress()
  for (let n = 1; n <= 60; n++) {
    const answer = await ask('/session', {}, { headers })
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('ratelimit-limit'), '60')
    assert.equal(answer.headers.get('ratelimit-remaining'), String(60 - n))
  }
  const refused = await ask('/session', {}, { headers: { ...headers, origin: 'https://shop.example' } })
  assert.equal(refused.status, 429)
  assert.equal(refused.body.error.code, 'RATE_LIMIT_EXCEEDED')
  assert.match(refused.headers.get('retry-after') ?? '', /^([1-9]|[1-5]\d|60)$/)
  assert.equal(refused.headers.get('access-control-allow-origin'), 'https://shop.example')
  assert.match(refused.headers.get('access-control-expose-headers') ?? '', /Retry-After/)
  assert.equal((await ask('/session', {}, { headers: freshAddress() })).status, 200)
})

test('a visitor can send thirty messages a minute, from any address, and others are not affected', async () => {
  const [one, two] = [await session(), await session()]
  for (let n = 1; n <= 30; n++) {
    const options = { token: one.token, headers: freshAddress() }
    const { status, headers } = await ask('/messages', { body: `${n}` }, options)
    assert.equal(status, 200)
    assert.equal(headers.get('ratelimit-remaining'), String(30 - n))
  }
  assert.equal((await ask('/messages', { body: '31' }, { token: one.token })).status, 429)
  assert.equal((await ask('/typing', { isTyping: true }, { token: one.token })).status, 200)
  assert.equal((await ask('/messages', { body: '1' }, { token: two.token })).status, 200)
})

test('visitors at one address can send 120 messages a minute in total, and others are not affected', async () => {
  const headers = freshAddress()
  const tokens = []
  for (let n = 0; n < 5; n++) tokens.push((await session({}, { headers })).token)
  const answers = []
  for (let n = 0; n < 125; n++)
    answers.push(await ask('/messages', { body: 'x' }, { token: tokens[n % 5]!, headers }))
  assert.equal(answers.filter(({ status }) => status === 200).length, 120)
  assert.equal(answers.at(-1)!.status, 429)
  const elsewhere = await session({}, { headers: freshAddress() })
  assert.equal(
    (await ask('/messages', { body: 'x' }, { token: elsewhere.token, headers: freshAddress() })).status,
    200,
  )
})

test('a site accepts 1,200 sessions and 1,800 messages a minute, from any number of addresses', async () => {
  const site = await make.channelAccount(workspace.id)
  const kept: string[] = []
  let refused = 0
  for (let n = 0; n < 1_210; n++) {
    const { status, body } = await ask('/session', {}, { channel: site, headers: freshAddress() })
    if (status === 200) kept.push(body.token)
    else refused++
  }
  assert.deepEqual([kept.length, refused], [1_200, 10])
  const last = await ask('/session', {}, { headers: freshAddress() })
  assert.equal(last.status, 200, 'another site is not held up')
})

test("guessing tokens or channels exhausts the address's limit, and legitimate visitors behind it are not affected", async () => {
  const headers = freshAddress()
  const { token } = await session({}, { headers })
  for (let n = 0; n < 30; n++) {
    assert.equal((await ask('/typing', { isTyping: true }, { token: 'x', headers })).status, 401)
    assert.equal(
      (await ask('/typing', { isTyping: true }, { token, channel: 'nowhere', headers })).status,
      404,
    )
  }
  assert.equal((await ask('/typing', { isTyping: true }, { token: 'x', headers })).status, 429)
  assert.equal((await ask('/typing', { isTyping: true }, { token, headers })).status, 200)
})

test("the widget's limits and the API's are two things", async () => {
  const headers = freshAddress()
  for (let n = 0; n < 60; n++) await ask('/session', {}, { headers })
  const response = await app.inject({
    url: '/api/v1/me',
    headers: { ...headers, authorization: `Bearer ${workspace.token}` },
  })
  assert.equal(response.statusCode, 200)
  assert.equal(response.headers['ratelimit-remaining'], '99')
})
