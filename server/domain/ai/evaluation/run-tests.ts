// Starts and cancels runs of tests. What is run, and against what, is stored at the start: changes made meanwhile are for
// the next run.
import { type Ctx, inTransaction } from '../../../platform/ctx/ctx.ts'
import { ApiError, invalid } from '../../../platform/errors.ts'
import { addJob } from '../../../platform/queue/add-job.ts'
import { lockWorkspace } from '../../workspaces/queries.ts'
import { findGuidance } from '../guidance/find-guidance.ts'
import { findDraft } from '../guidance/queries.ts'
import { findProvider } from '../provider/find-provider.ts'
import { deleteOldRuns, endRun, findRun, insertRun } from './run-queries.ts'
import { listRunnable } from './runnable-tests.ts'
import type { RunBody, TestRun } from './schema.ts'

/** In a workspace, with their results. */
const RUNS_KEPT_MAX = 30

/** Throws AI_TESTS_RUNNING, and VALIDATION_ERROR if none of the tests exists. */
export const startRun = (ctx: Ctx, { guidance, testIds }: RunBody): Promise<TestRun> =>
  inTransaction(ctx, async (ctx) => {
    await lockWorkspace(ctx)
    const provider = await findProvider(ctx)
    const runnable = await listRunnable(ctx, provider)
    const wanted = testIds && new Set(testIds)
    const tests = runnable.filter(({ id }) => !wanted || wanted.has(id))
    if (tests.length === 0) throw invalid({ field: 'testIds', message: 'must name tests that exist' })
    const live = await findGuidance(ctx)
    const draft = await findDraft(ctx)
    const id = ctx.newId()
    await deleteOldRuns(ctx, RUNS_KEPT_MAX)
    const isStarted = await insertRun(ctx, {
      id,
      live: guidance.includes('live') ? live : null,
      draft: guidance.includes('draft') ? (draft?.draft ?? live.guidance) : null,
      model: provider?.account.model ?? null,
      tests,
    })
    if (!isStarted) throw new ApiError('AI_TESTS_RUNNING')
    await addJob(ctx, 'evaluate_agent', { workspaceId: ctx.workspaceId, runId: id })
    return (await findRun(ctx, id))!
  })

/** What has a result keeps it. Cancelling a run that is over changes nothing. Throws AI_TEST_RUN_NOT_FOUND. */
export const cancelRun = async (ctx: Ctx, runId: string): Promise<TestRun> => {
  await endRun(ctx, runId, 'cancelled')
  const run = await findRun(ctx, runId)
  if (!run) throw new ApiError('AI_TEST_RUN_NOT_FOUND')
  return run
}
