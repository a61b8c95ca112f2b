import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RuleCondition } from '../../../platform/db/tables.ts'
import { FOR_ALL } from './default-guidance.ts'
import { FITTING_RULES_MAX, fittingRules, type RuleFacts } from './fitting-rules.ts'

const FACTS: RuleFacts = { channel: 'web', country: 'DE', language: 'de-AT', tagIds: ['vip'], isOpen: true }

const fits = (only: Partial<RuleCondition>, facts: Partial<RuleFacts> = {}): boolean =>
  fittingRules(
    { rules: [{ when: '', action: 'say', text: 'x', only: { ...FOR_ALL, ...only } }] },
    { ...FACTS, ...facts },
  ).length === 1

test('a rule holds if each of its lists that isn’t empty has a value of the customer', () => {
  assert.ok(fits({}))
  assert.ok(
    fits({ channels: ['web', 'email'], countries: ['AT', 'DE'], languages: ['de'], tagIds: ['a', 'vip'] }),
  )
  assert.ok(!fits({ channels: ['email'], countries: ['DE'] }))
  assert.ok(!fits({ channels: ['web'], countries: ['AT'] }))
  assert.ok(!fits({ languages: ['en'] }))
  assert.ok(!fits({ tagIds: ['a'] }))
})

test('what isn’t known of a customer fits no list', () => {
  assert.ok(!fits({ countries: ['DE'] }, { country: null }))
  assert.ok(!fits({ languages: ['de'] }, { language: null }))
  assert.ok(!fits({ tagIds: ['vip'] }, { tagIds: [] }))
  assert.ok(fits({}, { country: null, language: null, tagIds: [] }))
})

test('a rule can hold only while the business is open, or only while it is closed', () => {
  assert.deepEqual(
    [true, false].map((isOpen) => [
      fits({ hours: 'open' }, { isOpen }),
      fits({ hours: 'closed' }, { isOpen }),
    ]),
    [
      [true, false],
      [false, true],
    ],
  )
})

test('of more rules than the model gets, those higher in the list win', () => {
  const rules = Array.from({ length: 30 }, (_, index) => ({
    when: '',
    action: 'say' as const,
    text: String(index),
    only: index % 2 === 0 ? FOR_ALL : { ...FOR_ALL, channels: ['sms' as const] },
  }))
  assert.deepEqual(
    fittingRules({ rules }, FACTS).map(({ text }) => text),
    Array.from({ length: FITTING_RULES_MAX }, (_, index) => String(index * 2)),
  )
})
