// What takes too long for the event loop: a definition of 256 KiB is checked in a quarter of a second. Runs in a thread
// (engine-thread.ts), on data alone.
import { createHash } from 'node:crypto'
import { checkDefinition } from '../../../flow-engine/check-definition.ts'
import { lintDefinition } from '../../../flow-engine/lint.ts'
import type { LintFacts } from '../../../flow-engine/lint-contract.ts'
import type { Problem } from '../../../flow-engine/problems.ts'
import { type Reference, referencesOf } from '../../../flow-engine/references.ts'
import type { Scenario } from '../../../flow-engine/scenario.ts'
import type { FlowDefinition } from '../../../flow-engine/schema.ts'
import { runTest, type WorldFacts } from '../../../flow-engine/test-world.ts'
import { type BacktestTask, backtestMessages } from './backtest-messages.ts'

/** Definitions and messages are JSON text: passing text to a thread costs nothing. */
export type EngineTask =
  | { job: 'check'; definition: string }
  | { job: 'lint'; definition: string; facts: LintFacts }
  | { job: 'test'; definition: string; tests: readonly StoredTest[]; world: WorldFacts }
  | BacktestTask

export type StoredTest = { id: string; name: string; scenario: Scenario }

export type CheckResult = {
  problems: Problem[]
  /** SHA-256 in hex of what the definition says, whatever the order of its keys. Empty if it was refused. */
  hash: string
  kind: FlowDefinition['kind'] | null
  /** Each once. */
  references: Reference[]
}

/** `turn` counts from 0; null if the test couldn't be run. */
export type TestFailure = { testId: string; name: string; turn: number | null; message: string }

/** Tests that follow are reported as not run. */
const TESTS_MS = 4_000

/** The definition has passed a check when it is linted, tested or tried on messages. */
const readChecked = (text: string): FlowDefinition => JSON.parse(text) as FlowDefinition

export const checkFlow = (value: unknown): CheckResult => {
  const checked = checkDefinition(value)
  if (!checked.ok) return { problems: checked.problems, hash: '', kind: null, references: [] }
  const { definition } = checked
  const byKey = new Map(
    referencesOf(definition).map((one) => [`${one.kind} ${one.id} ${one.language ?? ''}`, one] as const),
  )
  const hash = createHash('sha256')
    .update(JSON.stringify(sortKeys(definition)))
    .digest('hex')
  return { problems: [], hash, kind: definition.kind, references: [...byKey.values()] }
}

const sortKeys = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, inner]) => [key, sortKeys(inner)]))
}

export const runTests = (
  definition: FlowDefinition,
  tests: readonly StoredTest[],
  world: WorldFacts,
): TestFailure[] => {
  const endsAtMs = performance.now() + TESTS_MS
  return tests.flatMap(({ id, name, scenario }): TestFailure[] => {
    if (performance.now() > endsAtMs)
      return [{ testId: id, name, turn: null, message: 'Not run: the tests before it took too long.' }]
    return runTest(definition, scenario, world).map((failure) => ({ testId: id, name, ...failure }))
  })
}

export const runEngineTask = (task: EngineTask): unknown => {
  const { definition } = task
  switch (task.job) {
    case 'check':
      return checkFlow(JSON.parse(definition))
    case 'lint':
      return lintDefinition(readChecked(definition), task.facts)
    case 'test':
      return runTests(readChecked(definition), task.tests, task.world)
    case 'backtest':
      return backtestMessages(readChecked(definition), task)
  }
}
