import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storableJson } from './storable-json.ts'

test('what PostgreSQL can’t store is left out of JSON, and nothing else changes', () => {
  assert.equal(storableJson({ a: 'x\0y' }), '{"a":"xy"}')
  assert.equal(storableJson(['\ud800', '😀', 'a\udc00b']), '["\ufffd","😀","a\ufffdb"]')
  const written = { text: 'a \\u0000 b \\\\ud800 "c"\n\\', 'k\\u0000': 1 }
  assert.deepEqual(JSON.parse(storableJson(written)), written)
})
