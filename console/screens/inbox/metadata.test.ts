import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Message } from '../../state/types.ts'
import { metaOf } from './metadata.ts'

const metaIn = (metadata: object, fields: Partial<Message> = {}) =>
  metaOf({ senderType: 'automation', body: '', metadata, ...fields } as Message)

test('a question’s options are labelled as in its text: counting on from the message before, and 0 for a person', () => {
  const options = ['Red', 'Blue', 'Talk to a person'].map((title, index) => ({
    ...{ id: `o${index}`, title },
    number: index === 2 ? 0 : index + 10,
  }))
  const { choices } = metaIn({ choices: { text: 'Which?', from: 9, options } })
  assert.deepEqual(choices, {
    text: 'Which?',
    options: [
      { label: '10', title: 'Red' },
      { label: '11', title: 'Blue' },
      { label: '0', title: 'Talk to a person' },
    ],
  })
})

test('an answer of the AI agent names its source; of an offer the options are the sources', () => {
  const ai = { turnId: 't', sources: [{ type: 'answer', id: 'a', title: 'Returns' }] }
  const person = { number: 0, title: 'Talk to a person' }
  const choices = { text: 'Within 30 days.', options: [person] }
  assert.deepEqual(metaIn({ ai, choices }).ai, { turnId: 't', sources: ['Returns'] })
  const offered = { text: 'Is it one of these?', options: [{ number: 1, title: 'Returns' }, person] }
  assert.deepEqual(metaIn({ ai, choices: offered }).ai, { turnId: 't', sources: [] })
  assert.equal(metaIn({}).ai, null)
  assert.equal(metaIn({ ai: { ...ai, handedOver: 'asked' } }).ai, null)
  assert.equal(metaIn({ ai: { turnId: null, sources: [] } }).ai, null)
})

test('options that a customer’s message claims to have are ignored', () => {
  const choices = { text: 'Which?', options: [{ number: 1, title: 'Red' }] }
  assert.equal(metaIn({ choices }, { senderType: 'customer' }).choices, null)
})

test('a customer’s tap is told from the same words typed', () => {
  const tap = (metadata: object, body = 'Red') => metaIn(metadata, { senderType: 'customer', body }).isTap
  for (const kind of ['button', 'list', 'templateButton'])
    assert.equal(tap({ choice: { kind, title: 'Red' } }), true, kind)
  assert.equal(tap({}), false)
  assert.equal(tap({ choice: { kind: 'form', title: 'Red' } }), false)
  assert.equal(tap({ choice: { kind: 'button', title: 'Red' } }, 'Red, please'), false)
})

test('only a line of a flow with a run opens', () => {
  assert.deepEqual(metaIn({ event: 'flow', runId: 'r', steps: 3 }).sprint, { runId: 'r', steps: 3 })
  assert.equal(metaIn({ event: 'flow', says: 'Automation failed', steps: 0 }).sprint, null)
  assert.equal(metaIn({ event: 'assigned', runId: 'r' }).sprint, null)
})

test('metadata of any other shape shows nothing', () => {
  for (const value of [null, 1, 'x', [], {}, { text: 1, options: 1 }, { text: '', options: [1, null] }]) {
    const { choices, flowName, isTap, sprint } = metaIn({ choices: value, flow: value, choice: value })
    assert.deepEqual([choices, flowName, isTap, sprint], [null, null, false, null], JSON.stringify(value))
  }
  assert.deepEqual(metaIn({ choices: { text: 'Which?', options: [null, { title: 7 }] } }).choices, {
    text: 'Which?',
    options: [],
  })
})
