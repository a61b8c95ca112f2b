// The flow engine in threads: checking, linting, testing and trying flows on past messages.
import type { LintFacts } from '../../../flow-engine/lint-contract.ts'
import type { Problem } from '../../../flow-engine/problems.ts'
import type { WorldFacts } from '../../../flow-engine/test-world.ts'
import { ApiError } from '../../platform/errors.ts'
import { makeThreads, ThreadError } from '../../platform/threads.ts'
import type { BacktestResult, BacktestTask } from './backtest-messages.ts'
import type { CheckResult, EngineTask, StoredTest, TestFailure } from './engine-jobs.ts'

const threads = makeThreads<EngineTask, unknown>({
  module: new URL('./engine-worker.ts', import.meta.url),
  threadsMax: 2,
  heapMaxMb: 256,
  idleMs: 30_000,
  waitingMax: 50,
})

/** Longer than any of them takes on a busy machine, the start of a thread included. */
const CHECK_MS = 10_000
const TEST_MS = 10_000
const BACKTEST_MS = 20_000

/** The tasks and their results are listed in engine-jobs.ts; each caller below names the result of its task. */
const run = async <T>(task: EngineTask, timeoutMs: number): Promise<T> => {
  try {
    return (await threads.run(task, timeoutMs)) as T
  } catch (error) {
    if (!(error instanceof ThreadError) || error.reason === 'failed') throw error
    throw new ApiError('SERVICE_UNAVAILABLE', { headers: { 'retry-after': '5' } })
  }
}

/** Checks a definition, given as JSON text. */
export const checkInThread = (definition: string): Promise<CheckResult> =>
  run({ job: 'check', definition }, CHECK_MS)

/** The definition has passed the check. */
export const lintInThread = (definition: string, facts: LintFacts): Promise<Problem[]> =>
  run({ job: 'lint', definition, facts }, CHECK_MS)

/** The definition has passed the check. A test that runs for ever fails, and so do those that are run with it. */
export const testInThread = async (
  definition: string,
  tests: readonly StoredTest[],
  world: WorldFacts,
): Promise<TestFailure[]> => {
  if (tests.length === 0) return []
  try {
    return await run({ job: 'test', definition, tests, world }, TEST_MS)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const message = 'The tests took too long.'
    return tests.map(({ id, name }) => ({ testId: id, name, turn: null, message }))
  }
}

/** The definition has passed the check. */
export const backtestInThread = (task: BacktestTask): Promise<BacktestResult> => run(task, BACKTEST_MS)
