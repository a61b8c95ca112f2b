// A simulation as what was set up and what was done, from which everything else follows: going back drops the last
// move, and a change of channel, language or of the draft plays all moves again.
import type { Env } from '../../../../flow-engine/contract.ts'
import { HOUR_MS } from '../../../../flow-engine/duration.ts'
import type { Expectation, Scenario, Turn } from '../../../../flow-engine/scenario.ts'
import type { FlowDefinition } from '../../../../flow-engine/schema.ts'
import { type Move, playMove, type Simulation, startSimulation } from '../../../../flow-engine/simulate.ts'
import { endsInChoices, lastText } from './effects.ts'

/** The moves of one simulation; more is no test that anybody reads. */
export const MOVES_MAX = 90

export type Setup = Pick<
  Scenario,
  'channel' | 'language' | 'at' | 'contact' | 'hours' | 'calls' | 'referral'
> & { channel: NonNullable<Scenario['channel']> }

/** `before` and `after` each move; the last `after` is where it stands. */
export type Played = { move: Move; before: Simulation; after: Simulation }[]

export type Game = {
  definition: FlowDefinition
  setup: Setup
  world: Env
  start: Simulation
  played: Played
}

export const startGame = (
  definition: FlowDefinition,
  setup: Setup,
  world: Env,
  replyWindowHours: number | null,
): Game => ({
  definition,
  setup,
  world,
  start: startSimulation(world, scenarioOf(setup), replyWindowHours && replyWindowHours * HOUR_MS),
  played: [],
})

/** With these moves played; those that are played already are kept. */
export const playMoves = (game: Game, moves: readonly Move[]): Game => {
  const same = game.played.findIndex(({ move }, at) => move !== moves[at])
  const played = game.played.slice(0, same < 0 ? moves.length : same)
  for (const move of moves.slice(played.length)) {
    const before = played.at(-1)?.after ?? game.start
    played.push({ move, before, after: playMove(game.definition, before, move, game.setup) })
  }
  return { ...game, played }
}

export const standOf = ({ start, played }: Game): Simulation => played.at(-1)?.after ?? start

const scenarioOf = (setup: Setup): Scenario => ({ ...setup, name: 'Simulation', turns: [{ wait: 'PT0S' }] })

/** What the customer must never read. */
const NEVER = ['undefined', 'null', '{{']
const TEXT_MAX = 120

/** The simulation as a test: what was done, and what came of each move. */
export const toScenario = (game: Game, name: string): Scenario => {
  const { at, ...setup } = game.setup
  const turns = game.played.flatMap(({ move, after }, index): Turn[] => {
    const isLast = index === game.played.length - 1
    return [move, { expect: expectationOf(game, after, isLast) }]
  })
  return { name, ...setup, at: at ?? new Date(game.start.env.now).toISOString(), turns }
}

const expectationOf = (
  { played }: Game,
  { state, effects, isClosed }: Simulation,
  isLast: boolean,
): Expectation => {
  const text = lastText(effects)
  const choices = endsInChoices(effects)
  const hasEnded = state !== null && state.status !== 'running'
  const isHandedOver = played.some(({ after }) => after.effects.some(({ type }) => type === 'handOver'))
  return {
    ...(text === undefined ? { nothing: true } : { text: text.slice(0, TEXT_MAX) }),
    ...(choices && { choices }),
    ...(state?.wait && { waits: state.wait.stepId }),
    ...(hasEnded && { ended: state.status as 'completed' | 'failed' | 'cancelled' }),
    ...(isLast && { handedOver: isHandedOver, closed: isClosed, never: NEVER }),
  }
}
