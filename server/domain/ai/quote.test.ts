import assert from 'node:assert/strict'
import { test } from 'node:test'
import { QUOTE_MAX, quoteOf } from './quote.ts'

const POLICY =
  'We ship to 30 countries. You can return everything within 30 days.\nRefunds take five days. Gift cards can’t be returned.'

test('the sentence that says what the reply says is quoted', () => {
  assert.equal(
    quoteOf(POLICY, 'Yes, you have 30 days in which you can return it.'),
    'You can return everything within 30 days.',
  )
  assert.equal(quoteOf(POLICY, 'A refund? Refunds take five days.'), 'Refunds take five days.')
})

test('a reply in other words has the beginning quoted, and nothing is longer than the limit', () => {
  assert.match(quoteOf(POLICY, 'Oui, bien sûr.'), /^We ship to 30 countries/)
  const long = `${'word '.repeat(500)}end.`
  assert.ok(quoteOf(long, 'word').length <= QUOTE_MAX)
  assert.ok(quoteOf(POLICY.repeat(100), POLICY).length <= QUOTE_MAX)
  assert.equal(quoteOf('', 'anything'), '')
})
