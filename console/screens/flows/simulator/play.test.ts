import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Check } from 'typebox/value'
import { checkDefinition } from '../../../../flow-engine/check-definition.ts'
import { Scenario } from '../../../../flow-engine/scenario.ts'
import type { Move } from '../../../../flow-engine/simulate.ts'
import { WELCOME_MENU } from '../../../../flow-engine/templates/welcome-menu.ts'
import { makeTestWorld, runTest, type WorldFacts } from '../../../../flow-engine/test-world.ts'
import { entriesOf } from './entries.ts'
import { playMoves, type Setup, standOf, startGame, toScenario } from './play.ts'
import { startsByItself } from './starts-by-itself.ts'

const { definition } = WELCOME_MENU
const NOW = Date.UTC(2026, 10, 23, 10)
const FACTS: WorldFacts = {
  now: NOW,
  workspace: { name: 'Foyer', timeZone: 'UTC' },
  hours: [],
  existing: null,
  channels: [],
}
const MOVES: Move[] = [{ say: 'hello' }, { tap: 'order' }, { say: 'AB-12345' }]

const start = (setup: Partial<Setup> = {}, flow = definition) => {
  const whole: Setup = { channel: 'web', language: 'en', contact: { name: 'Sam Rivera' }, ...setup }
  return startGame(flow, whole, makeTestWorld(flow, FACTS, whole.channel), null)
}
const textsOf = (game: ReturnType<typeof start>) =>
  standOf(game).effects.flatMap((effect) => (effect.type === 'send' ? [effect.text] : []))

test('a move is played on top of what is there, and going back drops it', () => {
  const two = playMoves(start(), MOVES.slice(0, 2))
  const three = playMoves(two, MOVES)
  assert.equal(three.played[1], two.played[1], 'what was played is kept')
  assert.equal(standOf(three).state?.status, 'completed')
  assert.equal(standOf(playMoves(three, MOVES.slice(0, 1))).state?.wait?.stepId, 's1')
  assert.equal(standOf(playMoves(three, [])).state, null)
})

test('the simulator says to which team a step moves the conversation', () => {
  const steps = [{ id: 's1', type: 'people' as const, teamId: 'sales' }]
  const game = playMoves(start({}, { ...definition, start: 'only', blocks: { only: { steps } } }), [
    { say: 'hello' },
  ])
  const lines = entriesOf(game, { name: (kind, id) => `${kind} ${id}` }).flat()
  assert.deepEqual(
    lines.flatMap((entry) => (entry.kind === 'line' && entry.stepId === 's1' ? [entry.text] : [])),
    ['Moved to the team team sales', 'Handed over to the team, with your workspace’s hand-over message'],
  )
})

test('another language plays the same moves in that language', () => {
  const german = playMoves(start({ language: 'de' }), MOVES.slice(0, 2))
  assert.match(textsOf(german)[0]!, /Bestellnummer/)
})

test('a simulation that is kept is a test that passes, and fails once the flow says something else', () => {
  const scenario = toScenario(playMoves(start(), MOVES), 'An order')
  assert.ok(Check(Scenario, scenario))
  assert.equal(scenario.turns.length, 6)
  assert.deepEqual(runTest(definition, scenario, { ...FACTS, now: NOW + 86_400_000 }), [])
  const changed = JSON.parse(JSON.stringify(definition).replace('What’s your order number?', 'Which order?'))
  assert.ok(checkDefinition(changed).ok)
  assert.deepEqual(
    runTest(changed, scenario, FACTS).map(({ turn }) => turn),
    [3],
  )
})

test('a channel without a trigger is noticed, and an event of the flow’s own is not', () => {
  assert.equal(startsByItself(playMoves(start(), MOVES)), true)
  assert.equal(startsByItself(playMoves(start({ channel: 'email' }), MOVES)), false)
  assert.equal(startsByItself(playMoves(start(), [{ event: 'reopened' }])), true)
  assert.equal(startsByItself(playMoves(start(), [{ event: 'closed' }])), false)
})

test('a move of the example takes less than a frame, however long the simulation is', () => {
  const checked = checkDefinition(
    JSON.parse(
      readFileSync(new URL('../../../../flow-engine/testing/example.json', import.meta.url), 'utf8'),
    ),
  )
  assert.ok(checked.ok)
  const moves: Move[] = [{ say: 'hello' }]
  let game = playMoves(start({ channel: 'telegram', hours: 'open' }, checked.definition), moves)
  const took: number[] = []
  // A run sends 60 messages at most.
  while (moves.length < 30) {
    for (const move of [{ tap: 'hours', step: 's1' }, { tap: 'yes' }] as const) {
      moves.push(move)
      const before = performance.now()
      game = playMoves(game, moves)
      took.push(performance.now() - before)
    }
  }
  // The median, because other work on the machine may hold up a single one.
  assert.ok(took.sort((a, b) => a - b)[Math.floor(took.length / 2)]! < 16)
  assert.equal(standOf(game).state?.endReason, null)
})
