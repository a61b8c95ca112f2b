// The tests of a flow: what a customer does, and what should happen. Publishing runs them.
import { jsonBytes } from '../../../flow-engine/byte-length.ts'
import { checkScenario } from '../../../flow-engine/check-scenario.ts'
import type { Scenario } from '../../../flow-engine/scenario.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError, invalid } from '../../platform/errors.ts'
import { lockExistingFlow } from './edit-flow.ts'
import type { FlowTest } from './editor-schema.ts'
import { findDraft } from './queries.ts'
import { TEST_BYTES_MAX, TESTS_MAX } from './schema.ts'
import { deleteFlowTestRow, insertFlowTests, listFlowTests, updateFlowTest } from './test-queries.ts'

/** Throws VALIDATION_ERROR naming the turn that isn't one. */
export const readScenario = (value: unknown, field = 'scenario', name = 'The test'): Scenario => {
  if (jsonBytes(value ?? null) > TEST_BYTES_MAX)
    throw invalid({ field, message: `${name} is larger than ${TEST_BYTES_MAX / 1024} KiB` })
  const problems = checkScenario(value, name)
  if (problems.length > 0) throw invalid(...problems.map(({ message }) => ({ field, message })))
  // checkScenario found nothing wrong.
  return value as Scenario
}

/** Throws FLOW_NOT_FOUND. */
export const getFlowTests = async (ctx: Ctx, flowId: string): Promise<{ tests: FlowTest[] }> => {
  if (!(await findDraft(ctx, flowId))) throw new ApiError('FLOW_NOT_FOUND')
  return { tests: await listFlowTests(ctx, flowId) }
}

/** Throws FLOW_NOT_FOUND, and VALIDATION_ERROR beyond 50 tests of a flow. */
export const addFlowTest = (ctx: Ctx, flowId: string, scenario: unknown): Promise<{ test: FlowTest }> =>
  inTransaction(ctx, async (ctx) => {
    const test = readScenario(scenario)
    await lockExistingFlow(ctx, flowId)
    if ((await listFlowTests(ctx, flowId)).length >= TESTS_MAX)
      throw invalid({ field: 'scenario', message: `The flow already has ${TESTS_MAX} tests` })
    const [id] = await insertFlowTests(ctx, flowId, [test])
    return { test: { id: id!, name: test.name, scenario: test } }
  })

/** Throws FLOW_TEST_NOT_FOUND. */
export const replaceFlowTest = async (
  ctx: Ctx,
  { flowId, testId }: { flowId: string; testId: string },
  scenario: unknown,
): Promise<{ test: FlowTest }> => {
  const test = readScenario(scenario)
  if (!(await updateFlowTest(ctx, flowId, testId, test))) throw new ApiError('FLOW_TEST_NOT_FOUND')
  return { test: { id: testId, name: test.name, scenario: test } }
}

/** Throws FLOW_TEST_NOT_FOUND. */
export const deleteFlowTest = async (
  ctx: Ctx,
  { flowId, testId }: { flowId: string; testId: string },
): Promise<{ success: true }> => {
  if (!(await deleteFlowTestRow(ctx, flowId, testId))) throw new ApiError('FLOW_TEST_NOT_FOUND')
  return { success: true }
}
