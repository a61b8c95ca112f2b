import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseRedisAddress } from './redis-address.ts'

test('an address names one server, whatever it is called', () => {
  for (const text of ['redis://cache.internal', 'valkey://cache.internal']) {
    const { hosts, url } = parseRedisAddress(text)
    assert.deepEqual(hosts, [{ host: 'cache.internal', port: 6379 }])
    assert.equal(url, 'redis://cache.internal')
  }
  assert.equal(parseRedisAddress('valkeys://:secret@cache:7000/2').url, 'rediss://:secret@cache:7000/2')
})

test('or Sentinels and the name they use, which become options of the client library', () => {
  const { hosts, url, options } = parseRedisAddress(
    'redis+sentinel://foyer:p%40ss@s1.internal,s2.internal:26380,[::1]/foyer/2?sentinelPassword=other',
  )
  assert.equal(url, null)
  assert.deepEqual(hosts, [
    { host: 's1.internal', port: 26379 },
    { host: 's2.internal', port: 26380 },
    { host: '::1', port: 26379 },
  ])
  assert.deepEqual(options, {
    ...{ sentinels: hosts, name: 'foyer', failoverDetector: true },
    ...{ username: 'foyer', password: 'p@ss', db: 2, sentinelPassword: 'other' },
  })
})

test('only the secure forms use TLS, to Sentinels as well', () => {
  const tlsOf = (text: string) => parseRedisAddress(text).options.sentinelTLS
  assert.equal(tlsOf('redis+sentinel://s1/foyer'), undefined)
  assert.equal(tlsOf('valkey+sentinel://s1/foyer'), undefined)
  assert.deepEqual(tlsOf('rediss+sentinel://s1/foyer'), {})
  assert.deepEqual(tlsOf('valkeys+sentinel://s1/foyer'), {})
})

test('an address that can’t be used is refused with its reason', () => {
  const cases: [string, RegExp][] = [
    ['cache:6379', /must be a URL that begins with redis:\/\/.*redis\+sentinel:\/\//],
    ['redis+sentinel://s1,s2', /must list the Sentinels and the name they use/],
    ['redis+sentinel://s1,/foyer', /has an invalid host/],
    ['redis+sentinel://s1:port/foyer', /has an invalid host/],
    [`redis+sentinel://${Array(11).fill('s').join()}/foyer`, /at most 10 Sentinels/],
    ['redis+sentinel://s1/foyer?master=x', /has the option master/],
  ]
  for (const [text, reason] of cases) assert.throws(() => parseRedisAddress(text), reason, text)
})
