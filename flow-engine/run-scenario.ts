// Runs a scenario and says where its expectations aren't met.
import type { Effect, Env } from './contract.ts'
import { scopeOf } from './facts.ts'
import { type Json, readPath } from './paths.ts'
import type { Expectation, Scenario, Turn } from './scenario.ts'
import type { FlowDefinition } from './schema.ts'
import { playMove, type Simulation, startSimulation } from './simulate.ts'

/** One expectation that wasn't met; `turn` counts from 0. */
export type Failure = { turn: number; message: string }

export type ScenarioResult = {
  failures: Failure[]
  /** What came of each turn. */
  turns: { turn: Turn; effects: Effect[] }[]
  simulation: Simulation
}

type Played = {
  simulation: Simulation
  /** Since the last expectations: they look at what came between. */
  recent: Effect[]
  all: Effect[]
}

/** Plays every turn, also after a failure. `replyWindowMs` is that of the scenario's channel. */
export const runScenario = (
  definition: FlowDefinition,
  scenario: Scenario,
  world: Env,
  replyWindowMs: number | null = null,
): ScenarioResult => {
  const failures: Failure[] = []
  const turns: ScenarioResult['turns'] = []
  let played: Played = { simulation: startSimulation(world, scenario, replyWindowMs), recent: [], all: [] }
  let wasExpected = false
  scenario.turns.forEach((turn, at) => {
    if ('expect' in turn) {
      failures.push(...check(definition, turn.expect, played).map((message) => ({ turn: at, message })))
      wasExpected = true
      turns.push({ turn, effects: [] })
      return
    }
    const simulation = playMove(definition, played.simulation, turn, scenario)
    const { effects } = simulation
    played = {
      simulation,
      recent: wasExpected ? effects : [...played.recent, ...effects],
      all: [...played.all, ...effects],
    }
    wasExpected = false
    turns.push({ turn, effects })
  })
  return { failures, turns, simulation: played.simulation }
}

/** What is said in an effect to the customer. */
const textsOf = (effects: readonly Effect[]): string[] =>
  effects.flatMap((effect) => {
    if (effect.type === 'send')
      return [
        effect.text,
        ...(effect.choices?.options.flatMap(({ title, description }) =>
          description === undefined ? [title] : [title, description],
        ) ?? []),
      ]
    if (effect.type === 'sendTemplate') return effect.parameters
    return effect.type === 'handOver' && effect.text !== null ? [effect.text] : []
  })

type Check = (expected: Expectation, played: Played, definition: FlowDefinition) => string | undefined

const quote = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value))

const expectEqual = (name: string, expected: unknown, actual: unknown): string | undefined =>
  expected === undefined || JSON.stringify(expected) === JSON.stringify(actual)
    ? undefined
    : `Expected ${name} ${quote(expected)}, got ${quote(actual)}`

/** In words: what was expected if it should be so, and if it shouldn’t. */
const expectIs = (
  expected: boolean | undefined,
  actual: boolean,
  [yes, no]: [yes: string, no: string],
): string | undefined =>
  expected === undefined || expected === actual ? undefined : `Expected ${expected ? yes : no}`

const isSpoken = ({ type }: Effect): boolean => type === 'send' || type === 'sendTemplate'

const CHECKS: Check[] = [
  ({ text }, { recent }) => {
    const sent = textsOf(recent)
    if (text === undefined || sent.some((one) => one.includes(text))) return undefined
    return `Expected a message with ${quote(text)}, got ${sent.map(quote).join(', ') || 'none'}`
  },
  ({ choices }, { recent }) => {
    const last = recent.findLast((effect) => effect.type === 'send' && effect.choices !== null)
    const ids = last?.type === 'send' ? last.choices?.options.map(({ id }) => id) : undefined
    return expectEqual('the choices', choices, ids)
  },
  ({ template }, { recent }) => {
    const sent = recent.findLast((effect) => effect.type === 'sendTemplate')
    return expectEqual('the template', template, sent?.type === 'sendTemplate' ? sent.name : undefined)
  },
  ({ nothing }, { recent }) =>
    expectIs(nothing, !recent.some(isSpoken), ['nothing to be sent', 'something to be sent']),
  ({ waits }, { simulation }) => expectEqual('to wait at', waits, simulation.state?.wait?.stepId),
  ({ ended }, { simulation }) => expectEqual('the run to be', ended, simulation.state?.status),
  ({ endReason }, { simulation }) =>
    expectEqual('the end reason', endReason, simulation.state?.endReason ?? undefined),
  ({ handedOver }, { all }) =>
    expectIs(
      handedOver,
      all.some(({ type }) => type === 'handOver'),
      ['a hand-over to the team', 'no hand-over to the team'],
    ),
  ({ assigned }, { simulation }) =>
    expectEqual('assigned to', assigned, simulation.env.conversation.agent?.id ?? 'nobody'),
  ({ closed }, { simulation }) =>
    expectIs(closed, simulation.isClosed, ['the conversation to be closed', 'the conversation to be open']),
  ({ tags = [] }, { simulation }) => {
    const own = simulation.env.contact.tags
    const missing = tags.filter((tag) => !own.some(({ id, name }) => id === tag || name === tag))
    return missing.length === 0
      ? undefined
      : `Expected the tags ${quote(missing)}, got ${quote(own.map(({ name }) => name))}`
  },
  ({ never = [] }, { all }) => {
    const found = never.find((text) => textsOf(all).some((one) => one.includes(text)))
    return found === undefined ? undefined : `Expected no message to contain ${quote(found)}`
  },
]

const check = (definition: FlowDefinition, expected: Expectation, played: Played): string[] => [
  ...CHECKS.flatMap((one) => one(expected, played, definition) ?? []),
  ...checkValues(expected.set ?? {}, played.simulation),
]

/** Values as conditions would read them. */
const checkValues = (expected: NonNullable<Expectation['set']>, { state, env }: Simulation): string[] => {
  if (state === null) return []
  const scope = scopeOf({ env, contact: env.contact, state })
  return Object.entries(expected).flatMap(([path, value]) => {
    const actual: Json = readPath(scope, path) ?? null
    return expectEqual(`${path} to be`, value, actual) ?? []
  })
}
