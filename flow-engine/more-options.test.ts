// Options that a channel has no room for, behind the row "More…".
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EffectChoices, Input, Sprint } from './contract.ts'
import { MORE_OPTIONS } from './read-reply.ts'
import type { FlowDefinition, Step } from './schema.ts'
import { says, started } from './testing/make-env.ts'
import { makeFlow, playInputs } from './testing/run-flow.ts'

const question: Step = {
  id: 's1',
  type: 'ask',
  answer: 'choice',
  text: 'Which size?',
  store: 'run.size',
  options: Array.from({ length: 12 }, (_, at) => ({ id: `o${at + 1}`, title: `Size ${at + 1}` })),
}
const flow = makeFlow([question, { id: 's2', type: 'ask', answer: 'text', text: 'And your name?' }], {
  variables: { size: { type: 'text' } },
})
const taps = (option: number, stepId = 's1'): Input =>
  ({ ...says('Tapped'), choice: { stepId, option } }) as Input
const moreFrom = (number: number) => taps(MORE_OPTIONS + number)
const choicesOf = ({ effects }: Sprint): EffectChoices | null | undefined =>
  effects.flatMap((effect) => (effect.type === 'send' ? [effect.choices] : []))[0]
const numbersOf = (sprint: Sprint) => choicesOf(sprint)?.options.map(({ number }) => number)

test('“More…” asks the question again with the options from there on, which keep their places', () => {
  const [first, more, chosen] = playInputs(flow, [started(), moreFrom(10), taps(11)])
  assert.equal(choicesOf(first!)?.options.length, 12)
  assert.equal(choicesOf(first!)?.from, undefined)
  assert.deepEqual(numbersOf(more!), [10, 11, 12])
  assert.equal(choicesOf(more!)?.from, 9)
  assert.equal(more!.effects[0]?.type === 'send' && more!.effects[0].text, 'Which size?')
  assert.equal(chosen!.state.variables.size, 'o11')
})

test('a number typed after “More…” counts from the first option, as the text shows', () => {
  const [, , chosen] = playInputs(flow, [started(), moreFrom(10), says('2')])
  assert.equal(chosen!.state.variables.size, 'o2')
  const [, , late] = playInputs(flow, [started(), moreFrom(10), says('12')])
  assert.equal(late!.state.variables.size, 'o12')
})

test('“More…” neither counts as a reply that wasn’t understood nor puts off the end of the wait', () => {
  const [first, more] = playInputs(flow, [started(), moreFrom(10)])
  assert.deepEqual(more!.state.wait, first!.state.wait)
  const [, , again] = playInputs(flow, [started(), says('none of these'), moreFrom(10)])
  assert.deepEqual(numbersOf(again!), [10, 11, 12, 0], 'the way to a person stays')
})

test('“More…” of a question that was answered goes back to it, unless old buttons do nothing', () => {
  const inputs = [started(), taps(1), moreFrom(10)]
  const [, , back] = playInputs(flow, inputs)
  assert.deepEqual(numbersOf(back!), [10, 11, 12])
  assert.equal(back!.state.wait?.stepId, 's1')
  const [, , , changed] = playInputs(flow, [...inputs, taps(12)])
  assert.equal(changed!.state.variables.size, 'o12')
  const withOld = (oldChoices: FlowDefinition['oldChoices']) =>
    playInputs({ ...flow, oldChoices }, inputs)[2]!
  assert.equal(withOld('ignore').isUsed, false)
  assert.equal(withOld('explain').state.wait?.stepId, 's2')
})

test('“More…” of a run that has ended starts a new one at that question', () => {
  const [run, chosen] = playInputs(flow, [
    started({ choice: { stepId: 's1', option: MORE_OPTIONS + 10 } }),
    taps(10),
  ])
  assert.deepEqual(numbersOf(run!), [10, 11, 12])
  assert.equal(chosen!.state.variables.size, 'o10')
})

test('“More…” that names an option which is gone shows all of them', () => {
  const [, more] = playInputs(flow, [started(), moreFrom(31)])
  assert.equal(numbersOf(more!)?.length, 12)
})
