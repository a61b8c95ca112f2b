import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holds } from './conditions.ts'
import { type Json, readPath, type Scope } from './paths.ts'
import type { Condition } from './schema.ts'
import { NOW } from './testing/make-env.ts'

const run: Json = {
  text: 'Größe M',
  number: 12,
  written: '1.234,5',
  yes: true,
  nothing: null,
  blank: '  ',
  list: ['red', 'blue'],
  day: '2026-11-22',
}
const tags: Json = [{ id: 'tag1', name: 'VIP' }]
const scope: Scope = (root) => (root === 'run' ? run : root === 'contact' ? { tags } : undefined)

const is = (value: string, op: string, to?: Json): boolean =>
  // The tests also try what the schema wouldn't let through.
  holds({ value, op, to } as Condition, { scope, now: NOW })

test('texts compare without case and form, numbers by value, whatever they are written as', () => {
  assert.ok(is('run.text', 'is', ' GRÖSSE m'.replace('SS', 'ß')))
  assert.ok(is('run.text', 'isNot', 'M'))
  assert.ok(is('run.number', 'is', '１２'))
  assert.ok(is('run.yes', 'is', true))
  assert.ok(is('run.number', 'isOneOf', [1, 12]))
  assert.ok(is('run.number', 'above', 11.9) && !is('run.number', 'above', 12))
  assert.ok(is('run.number', 'below', 12.1))
  assert.ok(is('run.text', 'startsWith', 'größe'))
  assert.ok(is('run.text', 'contains', 'grosse'))
  assert.ok(is('run.list', 'contains', 'BLUE'))
  assert.ok(is('run.text', 'matches', '^Gr..e [SML]$'))
})

test('days and moments compare with each other and with now', () => {
  assert.ok(is('run.day', 'before', 'now'))
  assert.ok(is('run.day', 'after', '2026-11-21T23:59:59Z'))
  assert.ok(!is('run.day', 'before', '31.12.2026'))
  assert.ok(!is('run.day', 'before', '2026-02-31'))
})

test('tags are found by id and by name', () => {
  assert.ok(is('contact.tags', 'hasTag', 'tag1'))
  assert.ok(is('contact.tags', 'hasTag', ['other', 'vip']))
  assert.ok(!is('contact.tags', 'hasTag', 'tag2'))
})

test('a value that is missing or of another type makes every comparison false, never an error', () => {
  for (const value of [
    'run.gone',
    'run.nothing',
    'call.x.y',
    'run.text.length',
    'run.list.9',
    'hours.isOpen',
  ])
    for (const op of [
      'is',
      'isOneOf',
      'contains',
      'startsWith',
      'above',
      'below',
      'before',
      'after',
      'hasTag',
      'matches',
    ])
      for (const to of ['x', 1, true, ['x'], undefined])
        assert.equal(is(value, op, to), false, `${value} ${op} ${to}`)
  assert.ok(is('run.gone', 'isEmpty') && is('run.blank', 'isEmpty') && !is('run.nothing', 'isSet'))
  assert.ok(!is('run.text', 'matches', '('))
})

test('all, any and not combine', () => {
  const yes: Condition = { value: 'run.yes', op: 'isSet' }
  const no: Condition = { value: 'run.yes', op: 'isEmpty' }
  const ask = (condition: Condition) => holds(condition, { scope, now: NOW })
  assert.deepEqual([{ all: [yes, no] }, { any: [no, yes] }, { not: { all: [no] } }].map(ask), [
    false,
    true,
    true,
  ])
})

test('paths lead only to what an object has itself', () => {
  for (const path of [
    'run.__proto__',
    'run.constructor',
    'run.text.constructor.name',
    'run.list.length',
    'run.toString',
    '__proto__',
    'window',
  ])
    assert.equal(readPath(scope, path) ?? undefined, undefined, path)
  const polluted: Scope = () => JSON.parse('{"__proto__": {"x": 1}}') as Json
  assert.equal(readPath(polluted, 'run.x'), undefined)
  assert.equal(readPath(scope, 'run.list.1'), 'blue')
})
