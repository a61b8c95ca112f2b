import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Check } from 'typebox/value'
import { checkDefinition } from './check-definition.ts'
import { runScenario } from './run-scenario.ts'
import { Scenario } from './scenario.ts'
import { outcomeOf, playMove, startSimulation } from './simulate.ts'
import { makeEnv } from './testing/make-env.ts'
import { makeFlow } from './testing/run-flow.ts'

const checked = checkDefinition(
  JSON.parse(readFileSync(new URL('./testing/example.json', import.meta.url), 'utf8')),
)
assert.ok(checked.ok)
const example = checked.definition
const ACTION = 'cmi8q2f5c0000x7h2k9d3m1vb'
const world = makeEnv({ existing: { actionIds: [ACTION] } })

const run = (scenario: Scenario) => {
  assert.ok(Check(Scenario, scenario))
  return runScenario(example, scenario, world)
}

test('the example goes from the greeting to the order’s status, in English and in German', () => {
  const order = { status: 200, body: { status: 'On its way', eta: '2026-11-25' } }
  const calls = [{ action: 'order', answer: order }]
  const english = run({
    name: 'An order is looked up',
    channel: 'whatsapp',
    language: 'en',
    calls,
    turns: [
      { say: 'hello' },
      { expect: { text: 'Hello Maria, this is Foyer', choices: ['order', 'hours', 'other'], waits: 's1' } },
      { tap: 'order' },
      { expect: { text: 'What is your order number?', waits: 's2' } },
      { say: '12345' },
      { expect: { text: 'It looks like AB-12345.', waits: 's2' } },
      { say: 'AB-12345' },
      {
        expect: {
          text: 'On its way, expected Nov 25, 2026.',
          waits: 's8',
          set: { 'contact.fields.lastOrder': 'AB-12345', 'run.topic': 'order' },
        },
      },
      { say: 'no thanks' },
      {
        expect: {
          ended: 'completed',
          endReason: 'finished',
          closed: true,
          handedOver: false,
          never: ['undefined', '{{'],
        },
      },
    ],
  })
  assert.deepEqual(english.failures, [])
  const german = run({
    name: 'Eine Bestellung wird gefunden',
    language: 'de',
    contact: { name: 'Jörg Müller' },
    calls,
    turns: [
      { say: 'hallo' },
      { expect: { text: 'Hallo Jörg, hier ist der Assistent. Worum geht es?' } },
      { say: 'meine bestellung' },
      { say: 'AB-12345' },
      { expect: { text: 'On its way, expected', waits: 's8' } },
      { say: 'ja' },
      { expect: { text: 'Worum geht es?', waits: 's1' } },
      { say: '٢' },
      { expect: { text: 'We are open until' } },
      { wait: 'PT30M' },
      { expect: { ended: 'completed', closed: true } },
    ],
  })
  assert.deepEqual(german.failures, [])
})

test('an unknown order, silence, closing time and a wish for a person go their ways', () => {
  const turns = (answer: { status: number }): Scenario => ({
    name: 'Unknown order goes to people',
    calls: [{ action: ACTION, answer }],
    turns: [
      { say: 'hi' },
      { tap: 'order' },
      { say: 'AB-12345' },
      { expect: { ended: 'completed', handedOver: true } },
    ],
  })
  for (const status of [404, 500, 0]) assert.deepEqual(run(turns({ status })).failures, [], String(status))
  const silent = run({
    name: 'Silence',
    turns: [
      { say: 'hi' },
      { wait: 'PT3H59M' },
      { expect: { waits: 's1' } },
      { wait: 'PT1M' },
      { expect: { ended: 'completed', endReason: 'finished' } },
    ],
  })
  assert.deepEqual(silent.failures, [])
  const closed = run({
    name: 'Closed',
    hours: 'closed',
    turns: [{ say: 'hi' }, { tap: 'hours' }, { expect: { text: 'We open' } }],
  })
  assert.deepEqual(closed.failures, [])
  const person = run({
    name: 'Person',
    turns: [
      { say: 'hi' },
      { say: 'I need a human' },
      { expect: { endReason: 'asked_for_person', handedOver: true } },
    ],
  })
  assert.deepEqual(person.failures, [])
})

test('an expectation that isn’t met says what came instead, and the turns go on', () => {
  const { failures, turns } = run({
    name: 'Wrong',
    turns: [
      { say: 'hi' },
      {
        expect: {
          text: 'Bye',
          choices: ['order'],
          waits: 's2',
          ended: 'failed',
          assigned: 'agent1',
          tags: ['VIP'],
          never: ['Maria'],
          set: { 'run.topic': 'x' },
        },
      },
      { tap: 'other' },
      { expect: { assigned: 'ai', nothing: true } },
    ],
  })
  assert.equal(failures.length, 8)
  assert.ok(failures.every(({ turn }) => turn === 1))
  assert.match(failures[0]!.message, /^Expected a message with "Bye", got "Hello Maria/)
  assert.ok(failures.some(({ message }) => message === 'Expected to wait at "s2", got "s1"'))
  assert.equal(turns.length, 4)
})

test('moves are made one by one, each leaves the one before as it was, and the window follows the customer', () => {
  const flow = makeFlow([
    { id: 's1', type: 'wait', for: 'P1DT1S' },
    { id: 's2', type: 'send', text: 'Late' },
  ])
  const first = startSimulation(makeEnv(), { name: 'x', turns: [{ say: 'x' }] }, 86_400_000)
  const kept = JSON.stringify(first)
  const second = playMove(flow, first, { say: 'hi' }, {})
  const third = playMove(flow, second, { wait: 'P2D' }, {})
  assert.equal(JSON.stringify(first), kept)
  assert.equal(third.state?.endReason, 'window_closed')
  assert.equal(second.state?.status, 'running')
})

test('the status of a response decides the outcome of a call', () => {
  assert.deepEqual([200, 204, 404, 410, 401, 422, 408, 429, 500, 0].map(outcomeOf), [
    'done',
    'done',
    'notFound',
    'notFound',
    'refused',
    'refused',
    'failed',
    'failed',
    'failed',
    'failed',
  ])
})

test('an event starts a flow without a message, closing ends it, and a customer’s message opens the conversation again', () => {
  const flow = makeFlow([
    { id: 's1', type: 'ask', answer: 'text', text: 'How was it? {{message.referral.headline|}}' },
    { id: 's2', type: 'wait', for: 'PT1H' },
  ])
  const start = startSimulation(makeEnv(), { name: 'x', turns: [{ say: 'x' }] })
  const asked = playMove(flow, start, { event: 'closed' }, {})
  assert.equal(asked.isClosed, true)
  assert.equal(asked.state?.wait?.stepId, 's1')
  assert.equal(asked.state?.message, null)
  const answered = playMove(flow, asked, { say: 'Fine' }, {})
  assert.equal(answered.isClosed, false)
  assert.equal(playMove(flow, answered, { event: 'opened' }, {}).state?.status, 'running')
  assert.equal(playMove(flow, answered, { event: 'closed' }, {}).state?.endReason, 'conversation_closed')
  const fromAd = playMove(flow, start, { say: 'Hi' }, { referral: { headline: 'Winter sale' } })
  assert.deepEqual(
    fromAd.effects.map((effect) => effect.type === 'send' && effect.text),
    ['How was it? Winter sale'],
  )
})
