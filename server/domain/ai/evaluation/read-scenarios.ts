// Reads tests of the AI agent from a file's JSON: one test, a list, or `{knowledge, tests}` with knowledge for all of them.
import { checkTest } from '../../../../flow-engine/check-scenario.ts'
import { isRecord } from '../../../../flow-engine/check-shape.ts'
import { Scenario, Turn } from './scenario.ts'

export const SCENARIOS_MAX = 500

/** Throws an error that names the test and the place in it that is wrong. */
export const readScenarios = (file: string, value: unknown): Scenario[] => {
  const hasShared = isRecord(value) && Array.isArray(value.tests)
  const tests: unknown[] = hasShared ? (value.tests as unknown[]) : [value].flat()
  const shared = hasShared && value.knowledge !== undefined ? { knowledge: value.knowledge } : {}
  if (tests.length > SCENARIOS_MAX) throw new Error(`${file} has more than ${SCENARIOS_MAX} tests.`)
  return tests.map((test, at) =>
    readScenario(
      isRecord(test) ? { ...shared, ...test } : test,
      tests.length === 1 ? file : `${file}, test ${at + 1}`,
    ),
  )
}

export const readScenario = (value: unknown, name: string): Scenario => {
  const [problem] = problemsIn(value, name)
  if (problem !== undefined) throw new Error(problem)
  // checkTest found nothing wrong.
  return value as Scenario
}

/** A sentence each; empty if the value is a test. */
export const problemsIn = (value: unknown, name: string): string[] =>
  checkTest({ whole: Scenario, turn: Turn, placeholder: { stop: true } }, value, name).map(
    ({ message }) => message,
  )
