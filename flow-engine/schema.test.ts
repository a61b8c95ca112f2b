import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { Compile } from 'typebox/compile'
import { Check } from 'typebox/value'
import { checkShape } from './check-shape.ts'
import { FlowDefinition, STEPS } from './schema.ts'
import { EVERY_STEP } from './testing/every-step.ts'

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`./testing/${name}`, import.meta.url), 'utf8'))

const EXAMPLE = read('example.json')
const accepts = new Ajv2020({ strict: false }).compile(read('flow.schema.json') as object)

/** Interpreting the schema takes 50 times as long, so only some variants are checked in that way too. */
const compiled = Compile(FlowDefinition)
const INTERPRETED_EACH = 20

/** What takes the place of each value in a document. */
const REPLACEMENTS: unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1_000,
  '',
  'x',
  's1',
  'end',
  'run.x',
  'contact.fields.a b',
  'PT1H',
  'P',
  'x'.repeat(2_001),
  'de-AT',
  'Ä',
  [],
  {},
  [1],
  ['x', 'x'],
  { en: 'x' },
  { x: 1 },
  { all: [] },
  { not: { value: 'run.x', op: 'isSet' } },
  'x\nend',
  'constructor',
  Array(31).fill('x'),
]

/** Every document that differs from this one in a single place. */
function* variantsOf(value: unknown): Generator<unknown> {
  yield* REPLACEMENTS
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) {
      yield value.toSpliced(at, 1)
      for (const variant of variantsOf(item)) yield value.with(at, variant)
    }
    yield [...value, ...value]
  } else if (typeof value === 'object' && value !== null) {
    yield { ...value, extra: 1 }
    for (const [name, item] of Object.entries(value)) {
      const { [name as keyof typeof value]: _, ...rest } = value
      yield rest
      yield { ...rest, [`${name}X`]: item }
      for (const variant of variantsOf(item)) yield { ...value, [name]: variant }
    }
  }
}

for (const [name, document] of [
  ['the example', EXAMPLE],
  ['a flow with every type of step', EVERY_STEP],
] as const)
  test(`${name} is accepted, and its variants are accepted and refused as by the JSON Schema of the design`, () => {
    assert.equal(Check(FlowDefinition, document), true)
    assert.equal(accepts(document), true, JSON.stringify(accepts.errors))
    const counts = { accepted: 0, refused: 0 }
    for (const variant of variantsOf(document)) {
      const expected = accepts(variant)
      counts[expected ? 'accepted' : 'refused']++
      assert.equal(compiled.Check(variant), expected, JSON.stringify(variant))
      if ((counts.accepted + counts.refused) % INTERPRETED_EACH === 0)
        assert.equal(checkShape(variant).length === 0, expected, JSON.stringify(variant))
    }
    assert.ok(counts.accepted > 300 && counts.refused > 1_000, JSON.stringify(counts))
  })

/** What the design's schema doesn't have yet. */
const ADDITIONS = { assign: ['teamId'], people: ['teamId'] }

test('beyond the design, the steps that assign and hand over name a team', () => {
  const withAdditions = structuredClone(EVERY_STEP)
  for (const step of Object.values(withAdditions.blocks).flatMap(({ steps }) => steps))
    for (const name of ADDITIONS[step.type as keyof typeof ADDITIONS] ?? [])
      Object.assign(step, { [name]: 'team1' })
  assert.equal(accepts(withAdditions), false)
  assert.equal(Check(FlowDefinition, withAdditions), true)
  assert.deepEqual(checkShape(withAdditions), [])
  for (const [type, step] of Object.entries(STEPS)) {
    const own = type in ADDITIONS
    assert.equal('teamId' in step.properties, own, type)
  }
})

test('there are sixteen types of steps, and the flow with every type has each', () => {
  const types = Object.values(EVERY_STEP.blocks).flatMap(({ steps }) => steps.map(({ type }) => type))
  assert.deepEqual([...new Set(types)].sort(), Object.keys(STEPS).sort())
  assert.equal(types.length, 16)
})
