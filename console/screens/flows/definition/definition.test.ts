// What the editor does to definitions, and how it describes them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkDefinition } from '../../../../flow-engine/check-definition.ts'
import type { FlowDefinition, StepType } from '../../../../flow-engine/schema.ts'
import { EVERY_STEP } from '../../../../flow-engine/testing/every-step.ts'
import { checkDraft } from '../check-draft.ts'
import { fieldsOf } from '../forms/fields.ts'
import { missingIn } from '../forms/missing.ts'
import { readAt, writeAt } from '../forms/read-at.ts'
import {
  freeBlockId,
  insertSteps,
  moveStep,
  placeOfStep,
  removeBlock,
  removeStep,
  withFreeIds,
} from './change-definition.ts'
import { compareDefinitions } from './compare-definitions.ts'
import { readFragment, writeFragment } from './fragments.ts'
import { withText } from './localized.ts'
import { orderBlocks } from './order-blocks.ts'
import { emptyDefinition, newStep, STEP_TYPES } from './step-types.ts'
import { stepWords } from './step-words.ts'
import { conditionWords, durationWords, type Names } from './words.ts'

const names: Names = { name: (_, id) => `name of ${id}` }
const steps = Object.values(EVERY_STEP.blocks).flatMap((block) => block.steps)
const textStep = (id: string, text = id) => ({ id, type: 'send' as const, text })
const TWO: FlowDefinition = {
  ...emptyDefinition('en'),
  start: 'b',
  blocks: {
    a: { title: 'A', steps: [textStep('s3')], next: 'end' },
    b: { title: 'B', steps: [textStep('s1'), textStep('s2')], next: 'a' },
  },
}

test('every type of step has a line in words, a form, and a first shape that says what is missing', () => {
  assert.deepEqual([...new Set(steps.map(({ type }) => type))].sort(), Object.keys(STEP_TYPES).sort())
  for (const step of steps) {
    const words = stepWords(step, EVERY_STEP, names)
    assert.ok(words.length > 3 && !/undefined|\[object/.test(words), `${step.type}: ${words}`)
    assert.deepEqual(missingIn(step), [], step.type)
    for (const field of fieldsOf(step)) assert.doesNotThrow(() => readAt(step, field.at))
  }
  for (const type of Object.keys(STEP_TYPES) as StepType[]) {
    const definition = insertSteps(TWO, { block: 'b', at: 0 }, [newStep(type, 's9')])
    const problems = checkDraft(definition, null)
    const own = problems.filter(({ stepId, severity }) => stepId === 's9' && severity === 'error')
    assert.equal(own.length > 0, missingIn(newStep(type, 's9')).length > 0, `${type}: ${JSON.stringify(own)}`)
    assert.ok(own.every(({ message }) => /^[A-Z].*\.$/.test(message)))
  }
})

test('a step reads as one line of what it does', () => {
  const ask = { ...newStep('ask', 's1'), text: 'What is your order number?', store: 'run.orderNumber' }
  assert.equal(stepWords(ask as never, TWO, names), 'Ask “What is your order number?” → orderNumber')
  for (const [step, words] of [
    [{ type: 'assign', to: 'nobody', teamId: 't1' }, 'Move to the team name of t1'],
    [{ type: 'assign', to: 'a1', teamId: 't1' }, 'Assign to name of a1, in the team name of t1'],
    [{ type: 'people', teamId: 't1' }, 'Hand over to the team name of t1'],
    [{ type: 'people', assign: 'a1', teamId: 't1' }, 'Hand over to name of a1 in the team name of t1'],
  ] as const)
    assert.equal(stepWords({ id: 's1', ...step }, TWO, names), words)
  assert.equal(durationWords('P1DT2H'), '1 day 2 hours')
  assert.equal(
    conditionWords(
      {
        all: [
          { value: 'contact.country', op: 'is', to: 'DE' },
          { not: { value: 'contact.tags', op: 'hasTag', to: 't1' } },
        ],
      },
      names,
    ),
    'contact’s country is “DE” and not (contact’s tags include “name of t1”)',
  )
})

test('blocks are shown in the order in which runs reach them, and unreached ones last', () => {
  assert.deepEqual(orderBlocks(TWO), ['b', 'a'])
  assert.deepEqual(orderBlocks({ ...TWO, start: 'a' }), ['a', 'b'])
  assert.equal(new Set(orderBlocks(EVERY_STEP)).size, Object.keys(EVERY_STEP.blocks).length)
})

test('a step moves within its block and on into the next', () => {
  const order = orderBlocks(TWO)
  const down = moveStep(TWO, 's1', 1, order)
  assert.deepEqual(
    down.blocks.b!.steps.map(({ id }) => id),
    ['s2', 's1'],
  )
  const over = moveStep(down, 's1', 1, order)
  assert.deepEqual(placeOfStep(over, 's1'), { block: 'a', at: 0 })
  assert.deepEqual(moveStep(over, 's1', -1, order), down)
  // A block keeps its last step.
  assert.equal(moveStep(over, 's2', 1, order), over)
})

test('the last step takes its block along, and the last block stays', () => {
  const without = removeStep(TWO, 's3')
  assert.deepEqual(Object.keys(without.blocks), ['b'])
  assert.equal(removeBlock(without, 'b'), without)
  assert.equal(removeBlock(TWO, 'b').start, 'a')
})

test('steps and blocks pass through the clipboard as JSON and get ids of their own', () => {
  const fragment = readFragment(writeFragment({ blocks: TWO.blocks }))!
  const fresh = withFreeIds(TWO, fragment)
  assert.ok('blocks' in fresh)
  const [copyOfA, copyOfB] = Object.keys(fresh.blocks)
  assert.deepEqual([copyOfA, copyOfB], ['a-2', 'b-2'])
  // Links between copies lead to copies.
  assert.equal(fresh.blocks['b-2']!.next, 'a-2')
  const merged = { ...TWO, blocks: { ...TWO.blocks, ...fresh.blocks } }
  assert.ok(checkDefinition(merged).ok)
  for (const text of ['', 'hello', '{"steps":[]}', '{"format":"foyer-flow","steps":[{"type":"nothing"}]}'])
    assert.equal(readFragment(text), undefined)
})

test('a block’s id comes from its title and is never reserved or taken', () => {
  const taken = new Set(['order-found'])
  assert.equal(freeBlockId(taken, 'Order found!'), 'order-found-2')
  assert.equal(freeBlockId(taken, 'End'), 'end-2')
  assert.equal(freeBlockId(taken, '你好'), 'block')
  assert.ok(freeBlockId(taken, 'x'.repeat(80)).length <= 40)
})

test('a text becomes one by language when it is translated, and a plain one again', () => {
  const both = withText('Hello', 'en', 'de', 'Hallo')
  assert.deepEqual(both, { en: 'Hello', de: 'Hallo' })
  assert.equal(withText(both, 'en', 'de', ''), 'Hello')
  assert.equal(withText('Hello', 'en', 'en', ''), undefined)
})

test('a value inside a step is written without touching the rest, and empty surroundings go', () => {
  const step = { id: 's1', retry: { times: 2 } }
  assert.deepEqual(writeAt(step, 'retry.then', 'people'), { id: 's1', retry: { times: 2, then: 'people' } })
  assert.deepEqual(writeAt(step, 'retry.times', undefined), { id: 's1' })
})

test('two versions are compared in words, whatever the order of their names', () => {
  assert.deepEqual(compareDefinitions(TWO, JSON.parse(JSON.stringify(TWO)), names), [])
  const reordered = { ...TWO, blocks: { b: TWO.blocks.b!, a: TWO.blocks.a! } }
  assert.deepEqual(compareDefinitions(TWO, reordered, names), [])
  const changed = insertSteps(removeStep(moveStep(TWO, 's1', 1, ['b', 'a']), 's3'), { block: 'b', at: 2 }, [
    textStep('s7', 'Bye'),
  ])
  const found = compareDefinitions(TWO, changed, names)
  assert.deepEqual(
    found.map(({ kind, words }) => `${kind} ${words}`),
    ['removed Block A', 'removed Send “s3”', 'moved Send “s2”', 'moved Send “s1”', 'added Send “Bye”'],
  )
  const rewritten = insertSteps(removeStep(TWO, 's2'), { block: 'b', at: 1 }, [textStep('s2', 'New words')])
  assert.deepEqual(compareDefinitions(TWO, rewritten, names), [
    { kind: 'changed', words: 'Send “New words”', lines: ['Message: s2 → New words'] },
  ])
  const translated = insertSteps(removeStep(TWO, 's2'), { block: 'b', at: 1 }, [
    { id: 's2', type: 'send', text: { en: 's2', de: 'Hallo' } },
  ])
  // Only the language that differs.
  assert.deepEqual(compareDefinitions(TWO, translated, names), [
    { kind: 'changed', words: 'Send “s2”', lines: ['Message (de): none → Hallo'] },
  ])
})
