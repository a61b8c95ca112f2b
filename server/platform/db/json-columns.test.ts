// What is written here and does not compile is the promise: `tsc` fails where an expected error is missing.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ColumnsOf, columnsRead, jsonColumns, jsonObject, jsonText } from './json-columns.ts'
import { encode, type JsonText, objectOf } from './json-text.ts'

type Row = { id: string; subject: string | null; unreadCount: number }

const column = jsonColumns<ColumnsOf<{ c: 'conversations' }>>()
const id = column.id('c.id')
const subject = column.text('c.subject')
const unreadCount = column.integer('c.unread_count')

test('a row of a list does not compile unless its columns make what the schema says', () => {
  // @ts-expect-error the subject is missing
  jsonObject<Row>({ id, unreadCount })
  // @ts-expect-error the schema has no such field
  jsonObject<Row>({ id, subject, unreadCount, status: column.word('c.status') })
  // @ts-expect-error the subject may be null
  jsonObject<{ subject: string }>({ subject })
  // @ts-expect-error a number is written as a number
  column.text('c.unread_count')
  // @ts-expect-error conversations have no such column
  column.text('c.body')
  // @ts-expect-error the answer is a number
  const answer = (text: JsonText<{ id: string }>): JsonText<{ id: number }> => text
  assert.equal(answer(objectOf({ id: encode('c1') })), '{"id":"c1"}')
})

test('a statement reads the columns that its JSON is made of, each once, and writes each field once', () => {
  const row = jsonObject<Row>({ id, subject, unreadCount })
  assert.equal(
    columnsRead(row, 'c', { 'c.contact_id': '::text' }),
    'id::text, subject, unread_count, contact_id::text',
  )
  assert.equal(
    jsonText(row),
    `'{"id":"' || c.id || '","subject":' || coalesce(to_json(c.subject)::text, 'null') || ',"unreadCount":' || c.unread_count || '}'`,
  )
})
