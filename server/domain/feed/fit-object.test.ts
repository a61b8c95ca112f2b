import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fitObject } from './fit-object.ts'

const sizeOf = (object: object): number => Buffer.byteLength(JSON.stringify(object))

test('an object that fits stays as it is, without the URLs of its files', () => {
  const message = { id: 'c1', body: 'x'.repeat(10_000), metadata: { hidden: 'Earlier' } }
  assert.deepEqual(fitObject(message), message)
  const file = { id: 'c2', name: 'a.pdf', size: 3 }
  const withFile = { ...message, attachments: [{ ...file, url: 'https://inbox.example.com/files/c2?s=x' }] }
  assert.deepEqual(fitObject(withFile), { ...message, attachments: [file] })
})

test('a body of more than 10,000 characters is cut and marked', () => {
  const { body, objectTruncated } = fitObject({ id: 'c1', body: 'x'.repeat(10_001) })
  assert.deepEqual([body, objectTruncated], ['x'.repeat(10_000), true])
})

test('quoted text is cut before a short body is', () => {
  const cut = fitObject({
    id: 'c1',
    body: 'Yes, please.',
    metadata: { hidden: 'x'.repeat(50_000), from: 'a@b.de' },
  })
  assert.deepEqual(cut, {
    id: 'c1',
    body: 'Yes, please.',
    metadata: { hidden: 'x'.repeat(10_000), from: 'a@b.de' },
    objectTruncated: true,
  })
})

test('whatever an object has, it keeps its id and fits into an event', () => {
  const big = {
    emoji: { id: 'c1', body: '😀'.repeat(25_000), metadata: { hidden: '"\n'.repeat(25_000) } },
    files: {
      id: 'c1',
      attachments: Array.from({ length: 300 }, (_, n) => ({ id: `c${n}`, name: 'n'.repeat(250) })),
    },
    keys: {
      id: 'c1',
      fields: Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`field ${n}`, n])),
    },
  }
  for (const object of Object.values(big)) {
    const kept = fitObject(object)
    assert.ok(sizeOf(kept) <= 18_050, `${sizeOf(kept)} bytes`)
    assert.deepEqual([kept.id, kept.objectTruncated], ['c1', true])
    assert.ok(JSON.stringify(kept).isWellFormed())
  }
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (given) => {
      const kept = fitObject({ ...given, id: 'c1' })
      assert.ok(sizeOf(kept) <= 18_050)
      assert.equal(kept.id, 'c1')
    }),
    { numRuns: 100 },
  )
})
