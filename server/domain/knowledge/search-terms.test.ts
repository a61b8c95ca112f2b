import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gramsOf, wordsOf } from './search-terms.ts'

test('words are folded: no case, accents, marks, punctuation or invisible characters', () => {
  assert.equal(wordsOf('  Où est MA commande?!\u200b '), 'ou est ma commande')
  assert.equal(wordsOf('Straße, ＰＡＫＥＴ & co'), 'strasse paket co')
  assert.equal(wordsOf('\u202eabc\u202c d\u00ade'), 'abc de')
  assert.equal(wordsOf('طَلَبِيَّتِي'), 'طلبيتي')
  assert.equal(wordsOf('मेरा ऑर्डर कहाँ है'), 'मेरा ऑर्डर कहाँ है')
  assert.equal(wordsOf('ёлка и йод'), 'ёлка и йод')
})

test('a text of emoji or symbols only has no terms', () => {
  for (const text of ['😀🎉👍🏽', '% _ \\ \' "', '…', '']) {
    assert.equal(wordsOf(text), '')
    assert.equal(gramsOf(text).size, 0)
  }
})

test('trigrams know where a word begins and ends, and count repetitions', () => {
  assert.deepEqual(
    [...gramsOf('Papa papa')],
    [
      [' pa', 2],
      ['pap', 2],
      ['apa', 2],
      ['pa ', 2],
    ],
  )
  assert.deepEqual([...gramsOf('a')], [[' a ', 1]])
})

test('scripts without spaces are compared by pairs of characters', () => {
  assert.deepEqual([...gramsOf('我的订单').keys()], ['我的', '的订', '订单'])
  assert.deepEqual([...gramsOf('的').keys()], ['的'])
  assert.deepEqual([...gramsOf('order 订单', { isUnspacedOnly: true }).keys()], ['订单'])
  assert.equal(wordsOf('我的 order'), 'order')
})

test('a word of a megabyte is cut', () => {
  assert.equal(wordsOf('x'.repeat(1_000_000)).length, 64)
  assert.equal(gramsOf('x'.repeat(1_000_000)).get('xxx'), 62)
})
