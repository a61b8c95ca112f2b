// Runs tests of the AI agent in a workspace, one after the other, and counts what came of them.
import type { Ctx } from '../../../platform/ctx/ctx.ts'
import { findGuidance, type LiveGuidance } from '../guidance/find-guidance.ts'
import { findDraft } from '../guidance/queries.ts'
import { findProvider } from '../provider/find-provider.ts'
import { failuresIn } from './check-outcome.ts'
import { playTest } from './play-test.ts'
import type { Scenario } from './scenario.ts'

export const TIMES_MAX = 10

export type Test = { kind: string; scenario: Scenario }

export type TestResult = {
  kind: string
  name: string
  /** Why it wasn't run; null if it was. */
  skipped: string | null
  times: number
  passed: number
  /** Of the first run that failed. */
  failures: string[]
}

export type Summary = { tests: number; skipped: number; passed: number; failed: number }

/** `passAll`: tests that passed each time; `passOnce`: the share of runs that passed. Null: none was run. */
export type Evaluation = {
  results: TestResult[]
  kinds: Record<string, Summary>
  passOnce: number | null
  passAll: number | null
}

type Options = {
  tests: readonly Test[]
  /** With the workspace's own model; without it, tests that need one are left out. */
  isLive: boolean
  times: number
  guidance: 'live' | 'draft'
  signal?: AbortSignal
  onResult?: (result: TestResult) => void
}

export const evaluate = async (ctx: Ctx, options: Options): Promise<Evaluation> => {
  const { tests, isLive, times, guidance, signal = NEVER, onResult } = options
  const live = guidance === 'draft' ? await draftOf(ctx) : await findGuidance(ctx)
  const provider = isLive ? await findProvider(ctx) : null
  if (isLive && !provider) throw new Error('The workspace has no language model that can be used.')
  const results: TestResult[] = []
  for (const { kind, scenario } of tests) {
    const result: TestResult = { kind, name: scenario.name, skipped: null, times: 0, passed: 0, failures: [] }
    // Without a model, each run is the same.
    const timesMax = scenario.provider === 'none' ? 1 : times
    while (result.skipped === null && result.times < timesMax) {
      const played = await playTest(ctx, scenario, { provider, live, signal, mayDoWithout: false })
      if ('skipped' in played) {
        result.skipped = played.skipped
        continue
      }
      result.times++
      const failures = failuresIn(played.checks)
      if (failures.length === 0) result.passed++
      else if (result.failures.length === 0) result.failures = failures
    }
    results.push(result)
    onResult?.(result)
  }
  return { results, ...countResults(results) }
}

const NEVER = new AbortController().signal

const draftOf = async (ctx: Ctx): Promise<LiveGuidance> => {
  const found = await findDraft(ctx)
  return found ? { version: null, guidance: found.draft } : findGuidance(ctx)
}

export const hasPassed = ({ skipped, passed, times }: TestResult): boolean =>
  skipped === null && passed === times

const countResults = (results: readonly TestResult[]): Omit<Evaluation, 'results'> => {
  const run = results.filter(({ skipped }) => skipped === null)
  const kinds: Record<string, Summary> = {}
  for (const result of results) {
    kinds[result.kind] ??= { tests: 0, skipped: 0, passed: 0, failed: 0 }
    const summary = kinds[result.kind]!
    summary.tests++
    if (result.skipped !== null) summary.skipped++
    else if (hasPassed(result)) summary.passed++
    else summary.failed++
  }
  const share = (part: number, all: number): number | null =>
    all === 0 ? null : Math.round((part / all) * 1_000) / 1_000
  return {
    kinds,
    passOnce: share(
      run.reduce((sum, { passed, times }) => sum + passed / times, 0),
      run.length,
    ),
    passAll: share(run.filter(hasPassed).length, run.length),
  }
}
