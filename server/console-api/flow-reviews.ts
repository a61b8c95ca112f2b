// What is known about a flow before and after it goes live: checks, tests, past messages, the funnel, and its file.
import { backtestFlow } from '../domain/flows/backtest-flow.ts'
import {
  Backtest,
  FlowFile,
  FlowReview,
  Funnel,
  FunnelQuery,
  ImportBody,
  Imported,
  Removed,
  TestAnswer,
  TestBody,
  TestList,
  TestParams,
} from '../domain/flows/editor-schema.ts'
import { exportFlow, importFlow } from '../domain/flows/flow-file.ts'
import { addFlowTest, deleteFlowTest, getFlowTests, replaceFlowTest } from '../domain/flows/flow-tests.ts'
import { getFunnel } from '../domain/flows/funnel.ts'
import { reviewFlow } from '../domain/flows/review-flow.ts'
import { FlowParams } from '../domain/flows/schema.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

const MANAGE = { permission: 'manage_automation' } as const

export const registerFlowReviews = (app: App): void => {
  registerTests(app)
  registerFigures(app)
  registerFiles(app)
}

const registerTests = (app: App): void => {
  app.get(
    '/flows/:flowId/tests',
    {
      config: MANAGE,
      schema: {
        operationId: 'consoleListFlowTests',
        summary: 'List a flow’s tests',
        params: FlowParams,
        response: { 200: TestList, ...errors('FLOW_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => getFlowTests(ctx, params.flowId),
  )

  app.post(
    '/flows/:flowId/tests',
    {
      config: MANAGE,
      schema: {
        operationId: 'consoleAddFlowTest',
        summary: 'Add a test to a flow',
        params: FlowParams,
        body: TestBody,
        response: { 200: TestAnswer, ...errors('FLOW_NOT_FOUND') },
      },
    },
    ({ ctx, params, body }) => addFlowTest(ctx, params.flowId, body.scenario),
  )

  app.put(
    '/flows/:flowId/tests/:testId',
    {
      config: MANAGE,
      schema: {
        operationId: 'consoleReplaceFlowTest',
        summary: 'Change a test',
        params: TestParams,
        body: TestBody,
        response: { 200: TestAnswer, ...errors('FLOW_TEST_NOT_FOUND') },
      },
    },
    ({ ctx, params, body }) => replaceFlowTest(ctx, params, body.scenario),
  )

  app.delete(
    '/flows/:flowId/tests/:testId',
    {
      config: MANAGE,
      schema: {
        operationId: 'consoleDeleteFlowTest',
        summary: 'Delete a test',
        params: TestParams,
        response: { 200: Removed, ...errors('FLOW_TEST_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => deleteFlowTest(ctx, params),
  )
}

const registerFigures = (app: App): void => {
  app.post(
    '/flows/:flowId/check',
    {
      config: MANAGE,
      schema: {
        operationId: 'consoleCheckFlow',
        summary: 'Check a flow’s draft and run its tests',
        params: FlowParams,
        response: { 200: FlowReview, ...errors('FLOW_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => reviewFlow(ctx, params.flowId),
  )

  app.post(
    '/flows/:flowId/backtest',
    {
      config: MANAGE,
      schema: {
        operationId: 'consoleBacktestFlow',
        summary: 'Try a flow’s draft on the messages of the last 30 days',
        description: 'Sends nothing.',
        params: FlowParams,
        response: { 200: Backtest, ...errors('FLOW_NOT_FOUND', 'FLOW_INVALID') },
      },
    },
    ({ ctx, params }) => backtestFlow(ctx, params.flowId),
  )

  app.get(
    '/flows/:flowId/funnel',
    {
      config: MANAGE,
      schema: {
        operationId: 'consoleGetFlowFunnel',
        summary: 'Count how far a flow’s runs come',
        params: FlowParams,
        querystring: FunnelQuery,
        response: { 200: Funnel, ...errors('FLOW_NOT_FOUND') },
      },
    },
    ({ ctx, params, query }) => getFunnel(ctx, params.flowId, query),
  )
}

const registerFiles = (app: App): void => {
  app.get(
    '/flows/:flowId/export',
    {
      config: MANAGE,
      schema: {
        operationId: 'consoleExportFlow',
        summary: 'Export a flow’s draft and tests',
        params: FlowParams,
        response: { 200: FlowFile, ...errors('FLOW_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => exportFlow(ctx, params.flowId),
  )

  app.post(
    '/flows/import',
    {
      config: MANAGE,
      schema: {
        operationId: 'consoleImportFlow',
        summary: 'Import a flow as a draft',
        body: ImportBody,
        response: { 200: Imported, ...errors('FLOW_INVALID') },
      },
    },
    ({ ctx, body }) => importFlow(ctx, body),
  )
}
