import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { compareTexts } from './compare-texts.ts'

const marks = { same: ' ', removed: '-', added: '+' }
const compare = (before: string, after: string) =>
  compareTexts(before, after).map(({ is, text }) => marks[is] + text)

test('changed lines are shown between those that stayed', () => {
  assert.deepEqual(compare('a\n\nb\nc', 'a\nx\nc\n\nd'), [' a', '-b', '+x', ' c', '+d'])
  assert.deepEqual(compare('', 'a'), ['+a'])
  assert.deepEqual(compare('a', ''), ['-a'])
})

test('without what was added it is the old text, without what was removed the new one', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c')).map((lines) => lines.join('\n'))
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = compareTexts(before, after)
      const without = (which: string) =>
        lines
          .filter(({ is }) => is !== which)
          .map(({ text }) => text)
          .join('\n')
      assert.equal(without('added'), before)
      assert.equal(without('removed'), after)
    }),
  )
})
