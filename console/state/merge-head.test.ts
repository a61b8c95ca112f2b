import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holdOrder } from '../screens/inbox/held-order.ts'
import { appendPage, mergeHead } from './merge-head.ts'

type Row = { id: string; at: number; isTouched?: boolean }
const rules = {
  keyOf: ({ id }: Row) => id,
  compare: (a: Row, b: Row) => b.at - a.at,
  isTouched: ({ isTouched = false }: Row) => isTouched,
}
const rowsOf = (text: string): Row[] =>
  text.split(' ').map((word) => ({
    id: word[0]!,
    at: Number(word.slice(1).replace('*', '')),
    isTouched: word.endsWith('*'),
  }))
const idsOf = (rows: readonly { id: string }[]): string => rows.map(({ id }) => id).join('')
const merged = (known: string, head: string, nextCursor: string | null = 'next') => {
  const { rows, nextCursor: cursor } = mergeHead(
    { rows: rowsOf(known), nextCursor: 'old' },
    { rows: rowsOf(head), nextCursor },
    rules,
  )
  return [idsOf(rows), cursor]
}

test('a new first page goes in front of the loaded rows, each row once', () => {
  assert.deepEqual(merged('a9 b8 c7 d6 e5', 'x10 a9 b8'), ['xabcde', 'old'])
  assert.deepEqual(merged('a9 b8 c7 d6 e5', 'd11 a9 b8'), ['dabce', 'old'])
})

test('a row that belongs in the new page but is missing from it has left the list', () => {
  assert.deepEqual(merged('a9 b8 c7 d6', 'a9 c7'), ['acd', 'old'])
})

test('a changed row behind the first page that did not move up has left the list', () => {
  assert.deepEqual(merged('a9 b8 c7 d6* e5', 'a9 b8 c7'), ['abce', 'old'])
})

test('a new page that does not overlap the loaded rows, or is the only one, replaces them', () => {
  assert.deepEqual(merged('a3 b2 c1', 'x9 y8 z7'), ['xyz', 'next'])
  assert.deepEqual(merged('a9 b8 c7', 'a9', null), ['a', null])
  assert.deepEqual(merged('a9 b8', 'x10 a9 b8'), ['xab', 'next'])
})

test('a later page may repeat a row that has moved', () => {
  const both = appendPage(
    { rows: rowsOf('a9 b8'), nextCursor: 'one' },
    { rows: rowsOf('b8 c7'), nextCursor: null },
    rules,
  )
  assert.deepEqual([idsOf(both.rows), both.nextCursor], ['abc', null])
})

const timed = (text: string) =>
  rowsOf(text).map(({ id, at }) => ({ id, updatedAt: String(at).padStart(3, '0') }))

test('a held list keeps its order, counts new and moved rows, and accepts older pages', () => {
  const shown = timed('a9 b8 c7')
  const held = holdOrder(shown, timed('x11 c10 a9 b8 d6'), () => false)
  assert.deepEqual([idsOf(held.rows), held.waitingCount], ['abcd', 2])
})

test('a held list drops rows that the agent removed at once, and those that others removed once it is released', () => {
  const shown = timed('a9 b8 c7')
  assert.equal(idsOf(holdOrder(shown, timed('a9 c7'), () => false).rows), 'abc')
  assert.equal(idsOf(holdOrder(shown, timed('a9 c7'), (id) => id === 'b').rows), 'ac')
})
