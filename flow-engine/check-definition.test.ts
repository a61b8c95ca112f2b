// What is refused before it can be published: each with the step named, in plain words.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkDefinition } from './check-definition.ts'
import type { ProblemCode } from './problems.ts'
import { EVERY_STEP } from './testing/every-step.ts'

type Json = Record<string, unknown>

/** A flow of one block with these steps. */
const flow = (steps: Json[], more: Json = {}): Json => ({
  schema: 1,
  kind: 'dialog',
  language: 'en',
  triggers: [{ on: 'message' }],
  start: 'main',
  blocks: { main: { steps, next: 'end' } },
  ...more,
})
const say = (id = 's1'): Json => ({ id, type: 'send', text: 'Hello' })
const ask = (more: Json): Json => ({ id: 's1', type: 'ask', answer: 'text', text: 'What?', ...more })

const problemsOf = (definition: unknown) => {
  const checked = checkDefinition(definition)
  return checked.ok ? [] : checked.problems
}

const refuses = (
  definition: unknown,
  code: ProblemCode,
  message: RegExp,
  stepId: string | null = null,
): void => {
  const found = problemsOf(definition).find((one) => one.code === code && message.test(one.message))
  assert.ok(found, `${code} ${message} not in ${JSON.stringify(problemsOf(definition))}`)
  assert.equal(found.severity, 'error')
  assert.equal(found.stepId, stepId)
}

test('a flow with every type of step is accepted as it was given', () => {
  const checked = checkDefinition(EVERY_STEP)
  assert.ok(checked.ok)
  assert.equal(checked.definition, EVERY_STEP)
})

test('an unknown type, key, block or reserved id is refused', () => {
  refuses(
    flow([{ id: 's1', type: 'jump' }]),
    'wrong_shape',
    /^Step s1 has the type "jump"\. Types are send, ask/,
    's1',
  )
  refuses(
    flow([{ ...say(), colour: 'red' }]),
    'wrong_shape',
    /^Step s1 \(send\): can’t contain “colour”/,
    's1',
  )
  refuses(
    flow([{ id: 's1', type: 'goto', to: 'nowhere' }]),
    'unknown_block',
    /^Step s1: leads to block “nowhere”/,
    's1',
  )
  refuses(flow([say()], { start: 'nowhere' }), 'unknown_block', /starts with block “nowhere”/)
  refuses(
    flow([say()], { blocks: { main: { steps: [say()], next: 'nowhere' } } }),
    'unknown_block',
    /Block “main”/,
    's1',
  )
  refuses(
    flow([say()], { blocks: { main: { steps: [say()] }, people: { steps: [say('s2')] } } }),
    'wrong_shape',
    /“people”/,
  )
  refuses(flow([say(), say()]), 'doubled_step', /^Step s1: another step has the same id/, 's1')
  refuses(flow([ask({ timeout: { after: 'PT1H', then: 'gone' } })]), 'unknown_block', /“gone”/, 's1')
})

test('what is no flow at all is refused, and nothing throws', () => {
  for (const value of [
    undefined,
    null,
    1,
    'flow',
    [],
    {},
    { blocks: [] },
    { blocks: { main: null } },
    { triggers: {} },
    () => 1,
  ])
    assert.ok(problemsOf(value).length > 0, String(value))
})

test('a loop that neither waits nor asks is refused, through blocks and jumps too', () => {
  const loop = flow([], {
    blocks: {
      main: { steps: [say('s1')], next: 'second' },
      second: { steps: [say('s2'), { id: 's3', type: 'goto', to: 'third' }] },
      third: {
        steps: [
          {
            id: 's4',
            type: 'branch',
            paths: [{ when: { value: 'run.x', op: 'isSet' }, goto: 'end' }],
            else: 'main',
          },
        ],
      },
    },
  })
  refuses(loop, 'endless_loop', /main → second → third → main/, 's1')
  const withQuestion = structuredClone(loop) as { blocks: { second: { steps: Json[] } } }
  withQuestion.blocks.second.steps.unshift(ask({ id: 's5' }))
  assert.deepEqual(problemsOf(withQuestion), [])
  withQuestion.blocks.second.steps[0]!.isOff = true
  refuses(withQuestion, 'endless_loop', /never waits or asks/, 's1')
})

test('a flow has at most 300 steps, 100 blocks, 50 steps in a block and 256 KiB', () => {
  const blocks = (count: number, steps: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, block) => [
        `b${block}`,
        { steps: Array.from({ length: steps }, (_, at) => say(`s${block * 50 + at}`.padEnd(3, 'a'))) },
      ]),
    )
  const start = { start: 'b0' }
  assert.deepEqual(problemsOf(flow([], { ...start, blocks: blocks(100, 3) })), [])
  assert.deepEqual(problemsOf(flow([], { ...start, blocks: blocks(6, 50) })), [])
  refuses(flow([], { ...start, blocks: blocks(101, 1) }), 'wrong_shape', /at most 100/)
  refuses(flow([], { ...start, blocks: blocks(1, 51) }), 'wrong_shape', /Block “b0” has 51 steps/)
  refuses(flow([], { ...start, blocks: blocks(7, 43) }), 'too_many_steps', /301 steps. The limit is 300/)
  const long = Array.from({ length: 50 }, (_, at) => ({
    id: `s${at}a`,
    type: 'note',
    text: 'ä'.repeat(4_000),
  }))
  refuses(flow(long), 'too_large', /256 KiB is the limit/)
})

test('conditions nest ten levels deep, and ten thousand levels are refused without an overflow', () => {
  const nested = (depth: number) => {
    let when: Json = { value: 'run.x', op: 'isSet' }
    for (let level = 0; level < depth; level++) when = { not: when }
    return flow([say()], { audience: when })
  }
  assert.deepEqual(problemsOf(nested(10)), [])
  refuses(nested(11), 'too_deep', /10 levels/)
  refuses(nested(10_000), 'too_deep', /10 levels/)
  let deep: unknown = 1
  for (let level = 0; level < 10_000; level++) deep = [deep]
  refuses(flow([say()], { variables: { x: { type: 'text', default: deep } } }), 'too_deep', /./)
})

test('patterns are RE2: bombs and what is invalid are refused', () => {
  for (const pattern of ['(', 'a{1001}', '((a{100}){100}){100}', '(?=a)', '\\1', '[z-a]'])
    refuses(flow([ask({ pattern })]), 'bad_pattern', /RE2/, 's1')
  assert.deepEqual(problemsOf(flow([ask({ pattern: '(a+)+$' })])), [])
  const when = { value: 'run.x', op: 'matches', to: '(' }
  refuses(
    flow([{ id: 's1', type: 'branch', paths: [{ when, goto: 'end' }], else: 'end' }]),
    'bad_pattern',
    /run\.x/,
    's1',
  )
  refuses(flow([say()], { audience: when }), 'bad_pattern', /^The triggers/)
})

test('patterns that would take too long together are refused, wherever they are', () => {
  const slow = '(.?){400}[xy]$'
  const matches = (to: string) => ({ value: 'message.text', op: 'matches', to })
  assert.deepEqual(problemsOf(flow([ask({ pattern: slow })], { audience: matches('^[A-Z]{2}-\\d{5}$') })), [])
  refuses(flow([ask({ pattern: '(.?){999}[xy]$' })]), 'bad_pattern', /too long together/, 's1')
  const paths = [1, 2].map(() => ({ when: matches(slow), goto: 'end' }))
  const branch = { id: 's1', type: 'branch', paths, else: 'end' }
  refuses(flow([branch]), 'bad_pattern', /too long together/, 's1')
  refuses(
    flow([say()], { audience: { all: [matches(slow), matches(slow)] } }),
    'bad_pattern',
    /^The triggers/,
  )
})

test('templates that don’t close or name what doesn’t exist are refused', () => {
  const text = (template: string) => flow([{ ...say(), text: template }])
  refuses(text('Hello {{contact.name'), 'bad_template', /never closes/, 's1')
  refuses(text('{{__proto__}}'), 'bad_template', /“__proto__” is not a known value/, 's1')
  refuses(text('{{window.location}}'), 'bad_template', /not a known value/, 's1')
  refuses(text(`{{run.x|${'upper|'.repeat(7)}}}`), 'bad_template', /filters/, 's1')
  refuses(text('{{}}'), 'bad_template', /not a known value/, 's1')
  for (const fine of ['{{contact.constructor}}', '{{run.x|upper|first|there}}', 'a } b { c', '{{run.x|}}'])
    assert.deepEqual(problemsOf(text(fine)), [], fine)
})

test('names that objects inherit are refused wherever they stand', () => {
  for (const name of ['constructor', 'toString', 'hasOwnProperty'])
    refuses(flow([say()], { variables: { [name]: { type: 'text' } } }), 'reserved_name', new RegExp(name))
  refuses(JSON.parse('{"__proto__": {"x": 1}}'), 'reserved_name', /__proto__/)
  refuses(
    flow([{ id: 's1', type: 'set', set: [{ to: 'contact.tags', value: 'x' }] }]),
    'not_writable',
    /“contact\.tags” can’t be set/,
    's1',
  )
})

test('numbers that are not finite and texts that can’t be stored are refused', () => {
  for (const min of [Number.NaN, Number.POSITIVE_INFINITY, JSON.parse('1e309')])
    refuses(flow([ask({ answer: 'number', min })]), 'bad_value', /finite/)
  for (const text of ['a\u0000b', '\ud800']) refuses(flow([{ ...say(), text }]), 'bad_value', /NUL or half/)
  refuses(flow([ask({ answer: 'number', min: 2, max: 1 })]), 'bad_range', /above/, 's1')
})

test('a choice has 1 to 30 options with ids of their own, and only a choice has any', () => {
  const options = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ id: `o${at}`, title: `Option ${at}` }))
  assert.deepEqual(problemsOf(flow([ask({ answer: 'choice', options: options(1) })])), [])
  assert.deepEqual(problemsOf(flow([ask({ answer: 'choice', options: options(30) })])), [])
  refuses(flow([ask({ answer: 'choice', options: [] })]), 'wrong_shape', /options/, 's1')
  refuses(flow([ask({ answer: 'choice', options: options(31) })]), 'wrong_shape', /at most 30/, 's1')
  refuses(flow([ask({ answer: 'choice' })]), 'bad_options', /needs options/, 's1')
  refuses(flow([ask({ answer: 'text', options: options(2) })]), 'bad_options', /only a choice/, 's1')
  refuses(
    flow([ask({ answer: 'choice', options: [...options(1), ...options(1)] })]),
    'doubled_option',
    /same id/,
    's1',
  )
})

test('a background flow can’t speak, wait for long, or pass to the AI agent', () => {
  const background = { kind: 'background' }
  refuses(flow([say()], background), 'background_speaks', /can’t write to the customer/, 's1')
  refuses(flow([ask({})], background), 'background_speaks', /can’t write/, 's1')
  refuses(
    flow([{ id: 's1', type: 'people', text: 'Hello' }], background),
    'background_speaks',
    /can’t write/,
    's1',
  )
  refuses(flow([{ id: 's1', type: 'goto', to: 'ai' }], background), 'background_speaks', /AI agent/, 's1')
  refuses(flow([{ id: 's1', type: 'wait', for: 'PT1H1S' }], background), 'background_waits', /one hour/, 's1')
  assert.deepEqual(problemsOf(flow([{ id: 's1', type: 'wait', for: 'PT1H' }], background)), [])
})

test('percentages add up to 100, a value is set from one source, and a condition has something to compare with', () => {
  const split = (a: number, b: number) =>
    flow([
      {
        id: 's1',
        type: 'split',
        paths: [
          { percent: a, goto: 'end' },
          { percent: b, goto: 'end' },
        ],
      },
    ])
  assert.deepEqual(problemsOf(split(1, 99)), [])
  refuses(split(50, 49), 'bad_percent', /100/, 's1')
  refuses(flow([{ id: 's1', type: 'set', set: [{ to: 'run.x' }] }]), 'bad_value', /run\.x/, 's1')
  refuses(
    flow([{ id: 's1', type: 'set', set: [{ to: 'run.x', value: 1, from: 'run.y' }] }]),
    'bad_value',
    /run\.x/,
    's1',
  )
  refuses(flow([ask({ skipIf: { value: 'run.x', op: 'is' } })]), 'bad_value', /nothing to compare/, 's1')
  refuses(flow([say()], { triggers: [{ on: 'tagged' }] }), 'incomplete_trigger', /needs “tagId”/)
})

test('a wait and a question last 30 days at most', () => {
  const wait = (duration: string) => flow([{ id: 's1', type: 'wait', for: duration }])
  assert.deepEqual(problemsOf(wait('P30D')), [])
  refuses(wait('P30DT1S'), 'waits_too_long', /30 days/, 's1')
  refuses(flow([ask({ timeout: { after: 'P31D', then: 'end' } })]), 'waits_too_long', /30 days/, 's1')
})

test('at most 100 problems are listed', () => {
  const steps = Array.from({ length: 50 }, (_, at) => ({
    ...ask({ pattern: '(', answer: 'choice' }),
    id: `s${at}a`,
    onFailed: 'x',
  }))
  assert.equal(problemsOf(flow(steps)).length, 100)
})
