import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAddress, readAddresses, withRecipients } from './addresses.ts'

test('pasted addresses are read with their names, however they are separated', () => {
  assert.deepEqual(
    readAddresses('ada@example.com, "Lovelace, Ada" <a.l@example.com>; Grace Hopper <g@navy.example>\nx'),
    [
      { address: 'ada@example.com' },
      { name: 'Lovelace, Ada', address: 'a.l@example.com' },
      { name: 'Grace Hopper', address: 'g@navy.example' },
      { address: 'x' },
    ],
  )
  assert.deepEqual(readAddresses(' ,; '), [])
})

test('what is no address is told from what is one', () => {
  for (const good of ['a@b.example', 'Ada+x@sub.b.example', 'ü@bücher.example'])
    assert.ok(isAddress(good), good)
  for (const bad of ['x', 'a@b', 'a b@c.example', 'a@b.example>', 'a@b.example,c@d.example', ''])
    assert.ok(!isAddress(bad), bad)
})

test('a recipient is added once', () => {
  const known = [{ address: 'a@b.example' }]
  assert.deepEqual(withRecipients(known, [{ address: 'A@B.example' }, { address: 'c@d.example' }]), [
    { address: 'a@b.example' },
    { address: 'c@d.example' },
  ])
})
