// Says in plain words where a test of a flow doesn't fit its format, and names the turn.
import type { TSchema } from 'typebox'
import { Check } from 'typebox/value'
import { describe, isRecord } from './check-shape.ts'
import { PROBLEMS_MAX, type Problem } from './problems.ts'
import { Scenario, Turn } from './scenario.ts'

const NOWHERE = { block: null, stepId: null }

/** The kinds of turns by the property that tells which one it is. */
const KINDS = new Map<string, TSchema>(
  Turn.anyOf.map((kind) => [Object.keys(kind.properties)[0]!, kind] as const),
)

/** Empty if the value is a test; `name` is what the problems call it. Each turn is compared with its own kind only. */
export const checkScenario = (value: unknown, name: string): Problem[] => {
  const turns: unknown[] = isRecord(value) && Array.isArray(value.turns) ? value.turns : []
  const whole = turns.length > 0 ? { ...(value as object), turns: turns.map(() => ({ say: '' })) } : value
  if (!Check(Scenario, whole)) return describe(Scenario, whole, { ...NOWHERE, name })
  return turns.flatMap((turn, at) => checkTurn(turn, `${name}, turn ${at + 1}`)).slice(0, PROBLEMS_MAX)
}

const checkTurn = (turn: unknown, name: string): Problem[] => {
  const kind = isRecord(turn) ? Object.keys(turn).find((key) => KINDS.has(key)) : undefined
  if (kind !== undefined)
    return Check(KINDS.get(kind)!, turn) ? [] : describe(KINDS.get(kind)!, turn, { ...NOWHERE, name })
  const message = `${name}: needs one of ${[...KINDS.keys()].join(', ')}.`
  return [{ severity: 'error', code: 'wrong_shape', ...NOWHERE, message }]
}
