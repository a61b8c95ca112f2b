import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeBoundedCache } from './bounded-cache.ts'

test('what was used last stays, and the rest makes room', () => {
  const cache = makeBoundedCache<string>(10)
  cache.set('a', 'A', 4)
  cache.set('b', 'B', 4)
  assert.equal(cache.get('a'), 'A')
  cache.set('c', 'C', 4)
  assert.equal(cache.get('b'), undefined)
  assert.equal(cache.get('a'), 'A')
  assert.equal(cache.get('c'), 'C')
})

test('an entry that is replaced counts once, and one that is too heavy is not kept', () => {
  const cache = makeBoundedCache<string>(10)
  for (let times = 0; times < 5; times++) cache.set('a', `A${times}`, 4)
  cache.set('b', 'B', 6)
  assert.equal(cache.get('a'), 'A4')
  assert.equal(cache.get('b'), 'B')
  cache.set('a', 'too heavy', 11)
  assert.equal(cache.get('a'), undefined)
  assert.equal(cache.get('b'), 'B')
})
