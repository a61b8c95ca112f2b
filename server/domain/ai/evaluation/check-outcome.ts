// Says where what became of a scenario isn't what was expected.
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
  /** Everything that was sent to a model, a text each. */
  requests: string[]
}

export const kindOf = (decision: Decision): Outcome['decision'] =>
  decision.is === 'say' ? decision.as : decision.is

/** Empty if it is as expected; else a sentence for each difference. */
export const checkOutcome = (expected: Expectation, outcome: Outcome): string[] => [
  ...differs('the holder', expected.has, outcome.has),
  ...differs('the reason', expected.reason, outcome.reason),
  ...differs('the decision', expected.decision, outcome.decision),
  ...differs('the number of messages', expected.messages, outcome.messages.length),
  ...differs('the sources', sorted(expected.sources), sorted(outcome.sources)),
  ...differs('the fields', expected.fields, outcome.fields),
  ...differs('the tags', sorted(expected.tags), sorted(outcome.tags)),
  ...differs('the number of requests', expected.requests, outcome.requests.length),
  ...differs('the number of drafts', expected.drafts, outcome.drafts.length),
  ...missing('a message', expected.mustSay, [...outcome.messages, ...outcome.drafts]),
  ...missing('a note', expected.mustNote, outcome.notes),
  ...found('message', expected.never, [...outcome.messages, ...outcome.drafts]),
  ...found('request', expected.neverSent, outcome.requests),
]

const quote = (value: unknown): string => (value === null ? 'nothing' : JSON.stringify(value))

const sorted = (texts: readonly string[] | undefined): string[] | undefined => texts?.toSorted()

const differs = (what: string, expected: unknown, actual: unknown): string[] =>
  expected === undefined || JSON.stringify(expected) === JSON.stringify(actual)
    ? []
    : [`Expected ${what} to be ${quote(expected)}, got ${quote(actual)}`]

const has = (texts: readonly string[], text: string): boolean =>
  texts.some((one) => one.toLowerCase().includes(text.toLowerCase()))

const missing = (where: string, expected: readonly string[] = [], texts: readonly string[]): string[] =>
  expected
    .filter((text) => !has(texts, text))
    .map((text) => `Expected ${where} with ${quote(text)}, got ${texts.map(quote).join(', ') || 'none'}`)

const found = (where: string, never: readonly string[] = [], texts: readonly string[]): string[] =>
  never.filter((text) => has(texts, text)).map((text) => `Expected no ${where} to contain ${quote(text)}`)
