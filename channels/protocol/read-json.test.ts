import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { DEPTH_MAX, KEY_NAMES_MAX, lineOf, readJson, VALUES_MAX } from './read-json.ts'

const read = (text: string): unknown => {
  const result = readJson(text)
  assert.ok('value' in result, text)
  return result.value
}

test('an integer that doesn’t fit in a double becomes text, and other numbers stay numbers', () => {
  const cases: [text: string, value: unknown][] = [
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['9007199254740992', '9007199254740992'],
    ['-9007199254740993', '-9007199254740993'],
    ['[12345678901234567890,1]', ['12345678901234567890', 1]],
    ['{"a":12345678901234567890}', { a: '12345678901234567890' }],
    ['{"a": 12345678901234567890 }', { a: '12345678901234567890' }],
    ['37.442214965820001234567', Number('37.442214965820001234567')],
    ['1234567890123456789e2', Number('1234567890123456789e2')],
    ['-0.5e-7', -0.5e-7],
    ['"12345678901234567890"', '12345678901234567890'],
    ['"a \\" 12345678901234567890"', 'a " 12345678901234567890'],
    ['["\\\\",12345678901234567890]', ['\\', '12345678901234567890']],
  ]
  for (const [text, value] of cases) assert.deepEqual(read(text), value, text)
})

const isUnsafe = (value: unknown) =>
  Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\d+$/.test(String(value))

test('everything else is parsed as by JSON.parse', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 8 }), fc.constantFrom(undefined, 2), (value, indent) => {
      const text = JSON.stringify(value, null, indent)
      const expected = JSON.parse(text, (_, part) => (isUnsafe(part) ? String(part) : part))
      assert.deepEqual(read(text), expected)
    }),
    { numRuns: 500 },
  )
})

test('nesting is limited, not counting brackets in strings', () => {
  assert.ok('value' in readJson('['.repeat(DEPTH_MAX) + ']'.repeat(DEPTH_MAX)))
  assert.deepEqual(readJson('['.repeat(DEPTH_MAX + 1) + ']'.repeat(DEPTH_MAX + 1)), { refusal: 'tooDeep' })
  assert.ok('value' in readJson(JSON.stringify('['.repeat(1000))))
})

test('a label is one line', () => {
  assert.equal(lineOf(' a\u0000\t\r\n b\u200ac '), 'a b c')
  assert.equal(lineOf(' \n '), null)
  assert.equal(lineOf(7), null)
})

test('the number of values and of distinct field names is limited', () => {
  const numbers = (count: number) => `[${Array(count).fill(1).join()}]`
  assert.ok('value' in readJson(numbers(VALUES_MAX)))
  assert.deepEqual(readJson(numbers(VALUES_MAX + 1)), { refusal: 'tooMany' })
  const fields = (count: number) => `{${Array.from({ length: count }, (_, at) => `"k${at}":0`).join()}}`
  assert.ok('value' in readJson(fields(KEY_NAMES_MAX)))
  assert.deepEqual(readJson(fields(KEY_NAMES_MAX + 1)), { refusal: 'tooMany' })
  assert.ok('value' in readJson(`[${Array(1000).fill(fields(40)).join()}]`))
})
