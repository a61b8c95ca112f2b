import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keepFields } from './keep-fields.ts'
import { readParameters } from './read-parameters.ts'

const JSON_TYPE = 'application/json; charset=utf-8'
const keep = (path: string, text: string, contentType: string | null = JSON_TYPE) => {
  const result = keepFields([{ name: 'it', path }], { contentType, text })
  return 'kept' in result ? (result.kept as { it: unknown }).it : result.problem.message
}

test('fields are found by name and position, and what is not there is null', () => {
  const text = '{"order":{"status":"sent","items":[{"name":"Bowl"}],"total":12.5,"paid":true}}'
  assert.equal(keep('order.status', text), 'sent')
  assert.equal(keep('order.items.0.name', text), 'Bowl')
  assert.deepEqual(keep('order.items', text), [{ name: 'Bowl' }])
  assert.equal(keep('order.total', text), 12.5)
  for (const path of [
    'order.gone',
    'order.items.1.name',
    'order.items.length',
    'order.status.length',
    'x.y.z',
  ])
    assert.equal(keep(path, text), null, path)
  for (const path of ['__proto__', 'constructor.name', 'order.__proto__.x', 'toString'])
    assert.equal(keep(path, text), null, path)
  assert.equal(keep('0.a', '[{"a":1}]'), 1)
})

test('what can’t be stored or read by name is left out', () => {
  assert.equal(keep('a', '{"a":"x\\u0000y\\ud800"}'), 'xy�')
  assert.deepEqual(keep('a', '{"a":{"__proto__":{"x":1},"constructor":2,"b":3}}'), { b: 3 })
  // Beyond 2^53 a number would lose digits.
  assert.equal(keep('id', '{"id":12345678901234567890}'), '12345678901234567890')
  assert.equal(keep('n', '{"n":1e999}'), null)
})

test('a response that is no JSON says what it is instead', () => {
  assert.equal(keep('a', '<html>', 'text/html'), 'The response is text/html, not JSON.')
  assert.equal(keep('a', ''), 'The response has no body, so there is nothing to keep.')
  assert.equal(keep('a', '{"a":'), 'The response isn’t valid JSON.')
  assert.equal(keep('a', '{"a":1}', null), 1)
  for (const type of ['application/problem+json', 'TEXT/JSON', 'application/vnd.api+json;v=1'])
    assert.equal(keep('a', '{"a":1}', type), 1, type)
  const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`
  assert.equal(keep('a', deep), 'The JSON of the response is nested too deeply.')
  const many = `[${'1,'.repeat(200_000)}1]`
  assert.equal(keep('a', many), 'The JSON of the response has too many values.')
})

test('at most 8 KiB are kept', () => {
  const body = (length: number) => `{"a":"${'x'.repeat(length)}"}`
  assert.equal(keep('a', body(8 * 1024 - 9)), 'x'.repeat(8 * 1024 - 9))
  assert.equal(keep('a', body(8 * 1024 - 8)), 'The kept fields are larger than 8 KiB.')
})

test('values are checked against the parameters, and flows’ texts are read as what is asked for', () => {
  const read = (type: 'string' | 'number' | 'boolean' | 'enum', value: unknown, isRequired = true) => {
    const parameter = { name: 'p', type, isRequired, maxLength: 5, options: ['a', 'b'] }
    const result = readParameters([parameter], { p: value } as never)
    return 'values' in result ? result.values.p : result.problem
  }
  assert.equal(read('string', '12345'), '12345')
  assert.equal(read('string', '123456'), 'p has more than 5 characters.')
  assert.equal(read('string', 7), '7')
  assert.equal(read('string', ['x']), 'p is not a single value.')
  for (const [given, is] of [
    ['12.5', 12.5],
    [-3, -3],
    [' 7 ', 7],
  ] as const)
    assert.equal(read('number', given), is)
  for (const given of ['1e5', '0x1', 'NaN', '１２', '1,5', Number.NaN])
    assert.equal(read('number', given), 'p is not a number.')
  assert.equal(read('boolean', 'true'), true)
  assert.equal(read('boolean', 'yes'), 'p is neither true nor false.')
  assert.equal(read('enum', 'b'), 'b')
  assert.equal(read('enum', 'toString'), 'p is none of: a, b.')
  for (const nothing of [null, '']) {
    assert.equal(read('string', nothing), 'p is missing.')
    assert.equal(read('string', nothing, false), undefined)
  }
  assert.deepEqual(readParameters([{ name: 'toString', type: 'string', isRequired: false }], {}), {
    values: Object.create(null),
  })
})
