// Says in plain words where a test of a flow, or of the AI agent, doesn't fit its format, and names the turn.
import type { TObject, TSchema, TUnion } from 'typebox'
import { Check } from 'typebox/value'
import { describe, isRecord } from './check-shape.ts'
import { PROBLEMS_MAX, type Problem } from './problems.ts'
import { Scenario, Turn } from './scenario.ts'

const NOWHERE = { block: null, stepId: null }

/** A format of tests that have turns. `placeholder` is a valid turn. */
type Format = { whole: TSchema; turn: TUnion<TObject[]>; placeholder: object }

/** Empty if the value is a test of a flow; `name` is what the problems call it. */
export const checkScenario = (value: unknown, name: string): Problem[] =>
  checkTest({ whole: Scenario, turn: Turn, placeholder: { say: '' } }, value, name)

/** Empty if the value is a test of the format. Each turn is compared with its own kind only. */
export const checkTest = (format: Format, value: unknown, name: string): Problem[] => {
  const turns: unknown[] = isRecord(value) && Array.isArray(value.turns) ? value.turns : []
  const whole =
    turns.length > 0 ? { ...(value as object), turns: turns.map(() => format.placeholder) } : value
  if (!Check(format.whole, whole)) return describe(format.whole, whole, { ...NOWHERE, name })
  return turns
    .flatMap((turn, at) => checkTurn(format, turn, `${name}, turn ${at + 1}`))
    .slice(0, PROBLEMS_MAX)
}

const checkTurn = (format: Format, turn: unknown, name: string): Problem[] => {
  const kinds = kindsOf(format)
  const kind = isRecord(turn) ? Object.keys(turn).find((key) => kinds.has(key)) : undefined
  if (kind !== undefined)
    return Check(kinds.get(kind)!, turn) ? [] : describe(kinds.get(kind)!, turn, { ...NOWHERE, name })
  const message = `${name}: needs one of ${[...kinds.keys()].join(', ')}.`
  return [{ severity: 'error', code: 'wrong_shape', ...NOWHERE, message }]
}

/** The kinds of turns by the property that tells which one it is. */
const kindsOf = ({ turn }: Format): Map<string, TSchema> =>
  new Map(turn.anyOf.map((kind) => [Object.keys(kind.properties)[0]!, kind] as const))
