import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { buildApp } from '../../process/app.ts'
import type { Config } from '../../process/config.ts'
import { newId } from '../db/id.ts'
import { memoryRateLimiter, type Taken } from './rate-limit.ts'

const { app, call, clock, deps, make } = await startApp({ rateLimits: true })
const workspace = await make.workspace()
let addresses = 0
/** An address that no other test uses, so that each begins with a full bucket. */
const freshAddress = () => ({ headers: { 'x-forwarded-for': `10.0.0.${++addresses}` } })

test('reads share one bucket of a hundred a minute for each address', async () => {
  const from = freshAddress()
  for (let n = 1; n <= 100; n++) {
    const { status, headers } = await call(workspace.token, 'GET', '/me', undefined, from)
    assert.equal(status, 200)
    assert.equal(headers['ratelimit-limit'], '100')
    assert.equal(headers['ratelimit-remaining'], String(100 - n))
  }
  const { status, body, headers } = await call(workspace.token, 'GET', '/me', undefined, from)
  assert.equal(status, 429)
  assert.equal(body.error.code, 'RATE_LIMIT_EXCEEDED')
  assert.equal(headers['ratelimit-remaining'], '0')
  assert.match(String(headers['retry-after']), /^([1-9]|[1-5]\d|60)$/)
  assert.equal((await call(workspace.token, 'GET', '/me', undefined, freshAddress())).status, 200)
})

test('a window ends after a minute', async () => {
  const from = freshAddress()
  for (let n = 0; n <= 100; n++) await call(workspace.token, 'GET', '/me', undefined, from)
  const real = clock.now
  clock.now = () => new Date(Date.now() + 60_001)
  const { status } = await call(workspace.token, 'GET', '/me', undefined, from)
  clock.now = real
  assert.equal(status, 200)
})

test('writes count for each token and operation, not for the address', async () => {
  const { secret } = await make.token(workspace.id)
  const path = `/conversations/${newId()}`
  for (let n = 1; n <= 60; n++) {
    const { status, headers } = await call(secret, 'POST', `${path}/close`, undefined, freshAddress())
    assert.equal(status, 404)
    assert.equal(headers['ratelimit-remaining'], String(60 - n))
  }
  assert.equal((await call(secret, 'POST', `${path}/close`, undefined, freshAddress())).status, 429)
  assert.equal((await call(secret, 'POST', `${path}/reopen`)).status, 404)
  assert.equal((await call(workspace.token, 'POST', `${path}/close`)).status, 404)
})

test('failed authentication uses up the bucket of the address, and past it a bad token is 429', async () => {
  const from = freshAddress()
  for (let n = 0; n < 100; n++)
    assert.equal((await call('foyer_bad', 'GET', '/me', undefined, from)).status, 401)
  assert.equal((await call('foyer_bad', 'GET', '/me', undefined, from)).status, 429)
  assert.equal((await call(null, 'GET', '/nothing', undefined, from)).status, 429)
  assert.equal((await call(workspace.token, 'GET', '/me', undefined, from)).status, 429)
})

test('a forwarded address counts only where a proxy that is trusted wrote it', async () => {
  const from = '203.0.113.9'
  const proxy = '10.1.2.3'
  const cases: [trusted: Config['trustProxy'], remoteAddress: string, same: string[], another: string][] = [
    [false, from, ['198.51.100.1', '198.51.100.2'], ''],
    [1, from, ['198.51.100.1, 192.0.2.7', '198.51.100.2, 192.0.2.7'], '192.0.2.8'],
    [['10.0.0.0/8'], from, ['198.51.100.1', '198.51.100.2'], ''],
    [['10.0.0.0/8'], proxy, ['198.51.100.1, 192.0.2.7', '198.51.100.2, 192.0.2.7'], '192.0.2.8'],
  ]
  for (const [trustProxy, remoteAddress, same, another] of cases) {
    const config = { trustProxy, logLevel: 'silent' as const, tls: null, publicUrl: 'http://foyer.test' }
    const app = buildApp({ ...deps, config, limiter: memoryRateLimiter(() => clock.now().getTime()) })
    const remaining = async (forwarded: string) => {
      const headers = { authorization: `Bearer ${workspace.token}`, 'x-forwarded-for': forwarded }
      const { headers: answered } = await app.inject({ url: '/api/v1/me', remoteAddress, headers })
      return answered['ratelimit-remaining']
    }
    const why = JSON.stringify(trustProxy)
    assert.deepEqual([await remaining(same[0]!), await remaining(same[1]!)], ['99', '98'], why)
    if (another !== '') assert.equal(await remaining(another), '99', why)
    await app.close()
  }
})

test('the rate limit is checked before the request is validated', async () => {
  const { secret } = await make.token(workspace.id)
  const path = `/conversations/${newId()}/close`
  for (let n = 0; n < 60; n++) await call(secret, 'POST', path)
  const { status } = await call(secret, 'POST', path, undefined, {
    payload: '{',
    headers: { 'content-type': 'application/json' },
  })
  assert.equal(status, 429)
})

test('a flood of addresses neither fills the memory, nor widens a limit, nor makes counting slower', () => {
  let now = 0
  const keysMax = 1_000
  const limiter = memoryRateLimiter(() => now, { keysMax })
  const isExceeded = (key: string) => (limiter.take(key, 3) as Taken).isExceeded
  assert.deepEqual([isExceeded('known'), isExceeded('known')], [false, false])
  let refusedCount = 0
  for (let n = 0; n < 200_000; n++) if (isExceeded(`address ${n}`)) refusedCount++
  // Each of the thousand and each shared window takes three calls: all the others are refused.
  assert.ok(refusedCount > 200_000 - keysMax - 3 * 4_096, String(refusedCount))
  // Who was there before the flood is not touched by it.
  assert.deepEqual([isExceeded('known'), isExceeded('known')], [false, true])
  now += 60_000
  assert.deepEqual(
    [1, 2, 3, 4].map(() => isExceeded('address 199999')),
    [false, false, false, true],
  )
})

test('a window lasts a minute from its first call, whenever that was', () => {
  let now = 0
  const limiter = memoryRateLimiter(() => now)
  const remaining = () => (limiter.take('key', 9) as Taken).remaining
  limiter.take('other', 9)
  now = 50_000
  assert.equal(remaining(), 8)
  now = 109_999
  assert.equal(remaining(), 7)
  now = 110_000
  assert.equal(remaining(), 8)
  now = 400_000
  assert.equal(remaining(), 8)
  // A clock that is set back holds nobody up.
  now = 1_000
  assert.equal(remaining(), 8)
})

test('the API document and the page to try it on use up no budget of the API', async () => {
  const from = freshAddress()
  for (let n = 0; n < 30; n++) {
    assert.equal((await call(null, 'GET', '/openapi.json', undefined, from)).status, 200)
    assert.equal((await app.inject({ url: '/docs/try', ...from })).statusCode, 200)
  }
  const { headers } = await call(workspace.token, 'GET', '/me', undefined, from)
  assert.equal(headers['ratelimit-remaining'], '99')
  const statuses = []
  for (let n = 30; n <= 100; n++)
    statuses.push((await call(null, 'GET', '/openapi.json', undefined, from)).status)
  assert.deepEqual([statuses.at(-2), statuses.at(-1)], [200, 429])
})

test('preflights use up no budget of the requests from the same address, and have a bound of their own', async () => {
  const from = freshAddress()
  const preflight = async () => {
    const headers = {
      ...from.headers,
      origin: 'https://shop.example',
      'access-control-request-method': 'GET',
    }
    return (await app.inject({ method: 'OPTIONS', url: '/api/v1/contacts', headers })).statusCode
  }
  const statuses = []
  for (let n = 0; n <= 100; n++) statuses.push(await preflight())
  assert.deepEqual(statuses.slice(-2), [403, 429])
  const { status, headers } = await call(workspace.token, 'GET', '/me', undefined, from)
  assert.equal(status, 200)
  assert.equal(headers['ratelimit-remaining'], '99')
})
