import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkOutcome, failuresIn } from './check-outcome.ts'
import type { Outcome } from './outcome.ts'
import { readScenarios } from './read-scenarios.ts'
import { Expectation } from './scenario.ts'

const OUTCOME: Outcome = {
  has: 'ai',
  reason: 'asked',
  decision: 'reply',
  messages: ['You can return everything within 30 days.'],
  drafts: ['A draft.'],
  notes: ['Wants money.'],
  sources: ['Returns', 'Shipping'],
  fields: { order: 'A-1' },
  tags: ['VIP', 'New'],
  calls: 1,
  proposal: 'done',
  requests: ['{"system": "You answer"}'],
}

const MET: Required<Expectation> = {
  has: 'ai',
  reason: 'asked',
  decision: 'reply',
  messages: 1,
  sources: ['Shipping', 'Returns'],
  mustUse: ['Returns'],
  fields: { order: 'A-1' },
  tags: ['New', 'VIP'],
  requests: 1,
  calls: 1,
  proposal: 'done',
  drafts: 1,
  mustSay: ['WITHIN 30 days', 'draft'],
  mustNote: ['wants money'],
  never: ['90 days'],
  neverSent: ['4111'],
}

const UNMET: Required<Expectation> = {
  has: 'team',
  reason: 'angry',
  decision: 'answer',
  messages: 2,
  sources: ['Returns'],
  mustUse: ['Payment'],
  fields: {},
  tags: ['VIP'],
  requests: 0,
  calls: 0,
  proposal: 'none',
  drafts: 0,
  mustSay: ['within 90 days'],
  mustNote: ['refund'],
  never: ['30 DAYS'],
  neverSent: ['you answer'],
}

test('each expectation is met or fails on its own', () => {
  assert.deepEqual(failuresIn(checkOutcome(MET, OUTCOME)), [])
  assert.deepEqual(Object.keys(MET).sort(), Object.keys(Expectation.properties).sort())
  for (const [name, value] of Object.entries(UNMET))
    assert.equal(failuresIn(checkOutcome({ [name]: value }, OUTCOME)).length, 1, name)
  assert.deepEqual(checkOutcome({ has: 'team', mustUse: ['Returns'] }, OUTCOME), [
    {
      expected: 'The conversation goes to the team',
      happened: 'The agent keeps the conversation',
      isMet: false,
    },
    { expected: 'Uses “Returns”', happened: 'Used “Returns”, “Shipping”', isMet: true },
  ])
})

test('what isn’t a test is refused with its place', () => {
  const valid = { name: 'One', turns: [{ customer: 'Hello' }], expect: { has: 'ai' } }
  assert.equal(readScenarios('a.json', valid).length, 1)
  const shared = { knowledge: [{ title: 'T', text: 'X' }], tests: [valid, { ...valid, knowledge: [] }] }
  assert.deepEqual(
    readScenarios('a.json', shared).map(({ knowledge }) => knowledge?.length),
    [1, 0],
  )
  for (const [wrong, place] of [
    [7, /a\.json, test 2/],
    [{ ...valid, turns: [] }, /a\.json, test 2/],
    [{ ...valid, expect: {} }, /expect/],
    [{ ...valid, expect: { mustsay: [] } }, /expect/],
    [{ ...valid, turns: [{ customer: 'Hello' }, { says: 'x' }] }, /turn 2: needs one of customer/],
    [{ ...valid, turns: [{ passMs: -1 }] }, /turn 1/],
  ] as const)
    assert.throws(() => readScenarios('a.json', [valid, wrong]), place)
})
