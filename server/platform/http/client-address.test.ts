import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressKey } from './client-address.ts'

test('an IPv4 address counts by itself, however it is written', () => {
  for (const written of ['192.0.2.1', ' 192.0.2.1', '192.0.2.1:4711', '::ffff:192.0.2.1', '::ffff:c000:201'])
    assert.equal(addressKey(written), '192.0.2.1', written)
  assert.equal(addressKey('[::ffff:192.0.2.1]:4711'), '192.0.2.1')
})

test('all the addresses of an IPv6 /64 count as one, however they are written', () => {
  const same = [
    '2001:db8:0:1::1',
    '2001:db8:0:1:ffff:ffff:ffff:ffff',
    '2001:0DB8:0000:0001::',
    '2001:db8::1:1:2:3:4',
    '[2001:db8:0:1::9]:4711',
    '2001:db8:0:1::192.0.2.1',
  ]
  for (const written of same) assert.equal(addressKey(written), '2001:db8:0:1::/64', written)
  assert.equal(addressKey('2001:db8:0:2::1'), '2001:db8:0:2::/64')
  assert.equal(addressKey('::1'), '0:0:0:0::/64')
  assert.equal(addressKey('fe80::1%eth0'), 'fe80:0:0:0::/64')
})

test('all invalid addresses count as one, so forged ones give no extra budget', () => {
  for (const made of ['', 'unknown', 'a', 'x'.repeat(20_000), '1.2.3', '1:2:3:::::', '[', '[::1', undefined])
    assert.equal(addressKey(made), 'no-address', made)
})
