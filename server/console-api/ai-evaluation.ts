// Tests of the AI agent: what there is, runs of them, and what came of it.
import { changeTest, createTest, deleteTest } from '../domain/ai/evaluation/keep-test.ts'
import { proposeTest } from '../domain/ai/evaluation/keep-turn.ts'
import { getTestResults, listTests, reviewDraft } from '../domain/ai/evaluation/list-tests.ts'
import { OwnTestAnswer, OwnTestBody, OwnTestProposal } from '../domain/ai/evaluation/own-test-schema.ts'
import { cancelRun, startRun } from '../domain/ai/evaluation/run-tests.ts'
import {
  DraftReview,
  OwnTestParams,
  RunAnswer,
  RunBody,
  RunParams,
  TestDetails,
  TestList,
  TestParams,
  TestRemoved,
} from '../domain/ai/evaluation/schema.ts'
import { TurnParams } from '../domain/ai/turn-schema.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

const CONFIG = { permission: 'manage_automation' } as const

export const registerAiEvaluationConsoleRoutes = (app: App): void => {
  registerTests(app)
  registerRuns(app)
}

const registerTests = (app: App): void => {
  app.get(
    '/ai-tests',
    {
      config: CONFIG,
      schema: {
        operationId: 'consoleListAiTests',
        summary: 'List the tests of the AI agent with their latest results, and the newest run',
        response: { 200: TestList },
      },
    },
    ({ ctx }) => listTests(ctx),
  )

  app.post(
    '/ai-tests',
    {
      config: CONFIG,
      schema: {
        operationId: 'consoleCreateAiTest',
        summary: 'Create a test of the AI agent',
        body: OwnTestBody,
        response: { 200: OwnTestAnswer },
      },
    },
    async ({ ctx, body }) => ({ test: await createTest(ctx, body) }),
  )

  app.get(
    '/ai-tests/:test',
    {
      config: CONFIG,
      schema: {
        operationId: 'consoleGetAiTest',
        summary: 'Get a test and what was expected and happened, with what is live and with the draft',
        params: TestParams,
        response: { 200: TestDetails, ...errors('AI_TEST_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => getTestResults(ctx, params.test),
  )

  app.put(
    '/ai-tests/:testId',
    {
      config: CONFIG,
      schema: {
        operationId: 'consoleUpdateAiTest',
        summary: 'Replace a test of the workspace',
        params: OwnTestParams,
        body: OwnTestProposal,
        response: { 200: OwnTestAnswer, ...errors('AI_TEST_NOT_FOUND') },
      },
    },
    async ({ ctx, params, body }) => ({
      test: await changeTest(ctx, { id: params.testId, scenario: body.scenario }),
    }),
  )

  app.delete(
    '/ai-tests/:testId',
    {
      config: CONFIG,
      schema: {
        operationId: 'consoleDeleteAiTest',
        summary: 'Delete a test of the workspace',
        params: OwnTestParams,
        response: { 200: TestRemoved, ...errors('AI_TEST_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => deleteTest(ctx, params.testId),
  )

  app.get(
    '/ai-turns/:turnId/test',
    {
      config: CONFIG,
      schema: {
        operationId: 'consoleProposeAiTest',
        summary: 'Get a test made of a turn, without what says who the customer is',
        description: 'Nothing is stored.',
        params: TurnParams,
        response: { 200: OwnTestProposal, ...errors('AI_TURN_NOT_FOUND') },
      },
    },
    async ({ ctx, params }) => ({ scenario: await proposeTest(ctx, params.turnId) }),
  )
}

const registerRuns = (app: App): void => {
  app.post(
    '/ai-test-runs',
    {
      config: CONFIG,
      schema: {
        operationId: 'consoleStartAiTestRun',
        summary: 'Run tests of the AI agent in the background',
        description: 'With the workspace’s model, which costs what it costs. One run at a time.',
        body: RunBody,
        response: { 200: RunAnswer, ...errors('AI_TESTS_RUNNING') },
      },
    },
    async ({ ctx, body }) => ({ run: await startRun(ctx, body) }),
  )

  app.post(
    '/ai-test-runs/:runId/cancel',
    {
      config: CONFIG,
      schema: {
        operationId: 'consoleCancelAiTestRun',
        summary: 'Cancel a run; results that are there stay',
        params: RunParams,
        response: { 200: RunAnswer, ...errors('AI_TEST_RUN_NOT_FOUND') },
      },
    },
    async ({ ctx, params }) => ({ run: await cancelRun(ctx, params.runId) }),
  )

  app.get(
    '/ai-guidance/review',
    {
      config: CONFIG,
      schema: {
        operationId: 'consoleReviewAiGuidance',
        summary: 'Get which tests do worse with the draft of the instructions',
        response: { 200: DraftReview },
      },
    },
    ({ ctx }) => reviewDraft(ctx),
  )
}
