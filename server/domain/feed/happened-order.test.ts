import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countComplete, inOrder } from './happened-order.ts'

const row = (text: string) => ({ id: Number(text.slice(1)), conversationId: text[0]!, contactId: null })
const rows = (text: string) => text.split(' ').map(row)
const text = (list: ReturnType<typeof rows>) =>
  list.map(({ id, conversationId }) => conversationId + id).join(' ')

test('events of a conversation are in the order of their ids, others stay where they are', () => {
  assert.equal(text(inOrder(rows('a5 b1 a3 c9 a4 b2'))), 'a3 b1 a4 c9 a5 b2')
})

test('an event waits for those before it that are not settled, and so do those that those would pass', () => {
  assert.equal(countComplete(rows('a1 b2 a3'), 3), 3)
  assert.equal(countComplete(rows('b1 a5 c2 a4'), 3), 1)
  assert.equal(countComplete(rows('c3 b1 a5 c2 a4'), 4), 0)
  assert.equal(countComplete(rows('b1 a4 c2 a5'), 3), 3)
  assert.equal(countComplete([], 0), 0)
})
