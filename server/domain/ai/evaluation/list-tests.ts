// Tests with what they last resulted in, and how a draft compares to what is live.
import type { Ctx } from '../../../platform/ctx/ctx.ts'
import { ApiError } from '../../../platform/errors.ts'
import { findGuidance } from '../guidance/find-guidance.ts'
import { findDraft } from '../guidance/queries.ts'
import { findProvider } from '../provider/find-provider.ts'
import { findDraftTested, type LatestResult, listLatest, listResultsOf, type Now } from './latest-queries.ts'
import { findRun, type Side } from './run-queries.ts'
import { listRunnable, type RunnableTest } from './runnable-tests.ts'
import type { Turn } from './scenario.ts'
import type { DraftReview, ListedTest, TestDetails, TestList, TestResult } from './schema.ts'

/** Its own tests first; the newest run, whether it is over or not. */
export const listTests = async (ctx: Ctx): Promise<TestList> => {
  const found = await findAll(ctx)
  const latest = await listLatest(ctx, found.now)
  const run = await findRun(ctx)
  return {
    tests: found.tests.map((test) => toListed(test, latest)),
    run: run ?? null,
    hasModel: found.now.model !== null,
    hasDraft: found.hasDraft,
  }
}

/** Throws AI_TEST_NOT_FOUND. */
export const getTestResults = async (ctx: Ctx, testId: string): Promise<TestDetails> => {
  const { tests, now } = await findAll(ctx)
  const test = tests.find(({ id }) => id === testId)
  if (!test) throw new ApiError('AI_TEST_NOT_FOUND')
  const results = await listResultsOf(ctx, testId, now)
  const resultOf = (side: Side): TestResult | null => {
    const found = results.find(({ guidance }) => guidance === side)
    if (!found) return null
    const { state, checks, said, skipped, version, model, at } = found
    return { state, checks, said, skipped, version, model, at, isCurrent: isCurrent(found, test) }
  }
  const { id, own, scenario } = test
  return {
    test: { id, name: scenario.name, own, customer: scenario.turns.flatMap(customerWords) },
    live: resultOf('live'),
    draft: resultOf('draft'),
  }
}

const customerWords = (turn: Turn): string[] => {
  if ('customer' in turn) return [turn.customer].flat()
  return 'tap' in turn ? [`[${turn.tap}]`] : []
}

/** What to know before the draft is published. */
export const reviewDraft = async (ctx: Ctx): Promise<DraftReview> => {
  const { tests, now } = await findAll(ctx)
  const latest = await listLatest(ctx, now)
  const tested = await findDraftTested(ctx, now.draft)
  return {
    worse: tests
      .map((test) => toListed(test, latest))
      .filter(({ change }) => change === 'worse')
      .map(({ id, name }) => ({ id, name })),
    isOutdated: tested !== undefined && !tested.isNow,
  }
}

const findAll = async (ctx: Ctx): Promise<{ tests: RunnableTest[]; now: Now; hasDraft: boolean }> => {
  const [provider, live, draft] = await Promise.all([findProvider(ctx), findGuidance(ctx), findDraft(ctx)])
  return {
    tests: await listRunnable(ctx, provider),
    now: {
      live: live.guidance,
      draft: draft?.draft ?? live.guidance,
      model: provider?.account.model ?? null,
    },
    hasDraft: draft?.hasChanges ?? false,
  }
}

const isCurrent = ({ isSame, fingerprint }: LatestResult, test: RunnableTest): boolean =>
  isSame && fingerprint === test.fingerprint

const toListed = (test: RunnableTest, latest: readonly LatestResult[]): ListedTest => {
  const latestOf = (side: Side): ListedTest['live'] => {
    const found = latest.find(({ testId, guidance }) => testId === test.id && guidance === side)
    return found ? { state: found.state, at: found.at, isCurrent: isCurrent(found, test) } : null
  }
  const { id, isOwn, kind, scenario } = test
  const live = latestOf('live')
  const draft = latestOf('draft')
  return { id, isOwn, kind, name: scenario.name, live, draft, change: changeOf(live, draft) }
}

const changeOf = (live: ListedTest['live'], draft: ListedTest['draft']): ListedTest['change'] => {
  if (!live?.isCurrent || !draft?.isCurrent) return null
  if (live.state === 'skipped' || draft.state === 'skipped') return null
  if (live.state === draft.state) return 'same'
  return draft.state === 'failed' ? 'worse' : 'better'
}
