import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { prepareWords } from './find-words.ts'
import { FOLDED_MAX, foldText } from './fold-text.ts'

test('the words that a text has are found, and no others', () => {
  // Few letters, so that words overlap, repeat and begin alike.
  const letters = (maxLength: number) =>
    fc.string({ unit: fc.constantFrom('a', 'b', ' ', '漢', '\u{1f600}'), minLength: 1, maxLength })
  fc.assert(
    fc.property(fc.array(letters(5), { maxLength: 30 }), letters(60), (words, text) => {
      const wanted = words.filter((word) => text.includes(word))
      assert.deepEqual([...prepareWords(words)(text)].sort(), [...new Set(wanted)].sort())
    }),
  )
})

test('a text folds to no more than is compared, whatever its characters become', () => {
  // One character, of which compatibility makes eighteen.
  assert.equal(foldText('\ufdfa').length, 18)
  assert.ok(foldText('\ufdfa'.repeat(100_000)).length <= FOLDED_MAX)
})
