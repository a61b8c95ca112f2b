// What is to be said about a draft before it goes live: errors, warnings, and tests that fail.
import type { Problem } from '../../../flow-engine/problems.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { ApiError } from '../../platform/errors.ts'
import type { FlowReview } from './editor-schema.ts'
import type { TestFailure } from './engine-jobs.ts'
import { checkInThread, lintInThread, testInThread } from './engine-thread.ts'
import { loadLintFacts, loadReferenced, loadWorld } from './load-facts.ts'
import { type FlowRow, findDraft } from './queries.ts'
import { listFlowTests } from './test-queries.ts'

export type Reviewed = {
  problems: Problem[]
  failures: TestFailure[]
  /** Of the definition; empty if it was refused. */
  hash: string
  kind: FlowRow['kind']
}

/** Reviews a draft in a fixed number of statements and without keeping other requests waiting. */
export const reviewDraft = async (ctx: Ctx, flow: FlowRow, draft: string): Promise<Reviewed> => {
  const { problems, hash, kind, references } = await checkInThread(draft)
  if (kind === null) return { problems, failures: [], hash, kind: flow.kind }
  const referenced = await loadReferenced(ctx, references)
  const facts = await loadLintFacts(ctx, flow, references, referenced)
  const world = await loadWorld(ctx, referenced)
  const tests = await listFlowTests(ctx, flow.id)
  return {
    problems: await lintInThread(draft, facts),
    failures: await testInThread(draft, tests, world),
    hash,
    kind,
  }
}

/** Throws FLOW_NOT_FOUND. */
export const reviewFlow = async (ctx: Ctx, flowId: string): Promise<FlowReview> => {
  const found = await findDraft(ctx, flowId)
  if (!found) throw new ApiError('FLOW_NOT_FOUND')
  const { draft, ...flow } = found
  const { problems, failures } = await reviewDraft(ctx, flow, draft)
  return { draftRevision: flow.draftRevision, problems, failures }
}

/** A failing test among the problems of a version. */
export const failureAsProblem = ({ name, turn, message }: TestFailure): Problem => ({
  severity: 'warning',
  code: 'failing_test',
  block: null,
  stepId: null,
  message: `Test “${name}”${turn === null ? '' : `, turn ${turn + 1}`}: ${message}`,
})
