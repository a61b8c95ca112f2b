import assert from 'node:assert/strict'
import { test } from 'node:test'
import { STEPS } from '../../../flow-engine/step-schema.ts'
import { causeWords, passedOverWords, type RunStep, stepAbout, stepWords } from './run-words.ts'

const step = (fields: Partial<RunStep>): RunStep => ({
  ...{
    seq: 1,
    stepId: 's1',
    type: 'ask',
    outcome: 'done',
    detail: {},
    createdAt: '2026-11-23T00:00:00.000Z',
  },
  ...fields,
})
const said = (fields: Partial<RunStep>): string =>
  [stepWords(step(fields)), stepAbout(step(fields))].filter((text) => text !== null).join(': ')

test('every type of step is said in words of its own', () => {
  const all = Object.keys(STEPS).map((type) => stepWords(step({ type: type as RunStep['type'] })))
  assert.equal(new Set(all).size, Object.keys(STEPS).length)
})

test('a question’s reply, a reply that wasn’t understood, and a failure say what is known', () => {
  assert.equal(said({ outcome: 'asked' }), 'Asked a question')
  assert.equal(said({ outcome: 'answered', detail: { value: 'red' } }), 'Got a reply: red')
  assert.equal(said({ outcome: 'answered', detail: { value: 7 } }), 'Got a reply: 7')
  assert.equal(said({ outcome: 'answered' }), 'Got a reply')
  assert.equal(
    said({ outcome: 'invalid', detail: { problem: 'several_options' } }),
    'Didn’t understand the reply: it matched several options',
  )
  assert.equal(
    said({ type: 'call', outcome: 'failed', detail: { reason: 'action_failed' } }),
    'Called an action: The action failed',
  )
})

test('words that only a newer server knows are said in general', () => {
  assert.equal(said({ type: 'dance' as never }), 'Did a step')
  assert.equal(said({ outcome: 'failed', detail: { reason: 'constructor' } }), 'Asked a question: failed')
  assert.equal(said({ outcome: 'invalid', detail: { problem: 'toString' } }), 'Didn’t understand the reply')
  assert.equal(causeWords('toString'), null)
  assert.equal(passedOverWords('toString'), 'it didn’t apply')
})
