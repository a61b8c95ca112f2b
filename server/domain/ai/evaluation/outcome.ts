// What became of a scenario.
import type { HandOverReason } from '../hand-over-reason.ts'
import type { Decision } from '../think.ts'
import type { DECISIONS, Expectation } from './scenario.ts'

export type Outcome = {
  has: NonNullable<Expectation['has']>
  reason: HandOverReason | null
  decision: (typeof DECISIONS)[number] | null
  /** What the customer got from it. */
  messages: string[]
  drafts: string[]
  notes: string[]
  /** Titles that the last reply names. */
  sources: string[]
  fields: Record<string, unknown>
  tags: string[]
  /** Of actions. */
  calls: number
  proposal: NonNullable<Expectation['proposal']>
  /** Everything that was sent to a model, a text each. */
  requests: string[]
}

export const kindOf = (decision: Decision): Outcome['decision'] =>
  decision.is === 'say' ? decision.as : decision.is
