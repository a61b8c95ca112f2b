import { cancelRun } from '../domain/flow-runs/cancel-run.ts'
import { getFlowRun, listFlowRuns } from '../domain/flow-runs/list-runs.ts'
import {
  FlowRunAnswer,
  FlowRunList,
  FlowRunParams,
  FlowRunsQuery,
  StartRunBody,
} from '../domain/flow-runs/schema.ts'
import { startRun } from '../domain/flow-runs/start-run.ts'
import { FlowParams } from '../domain/flows/schema.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

export const registerFlowRuns = (app: App): void => {
  app.get(
    '/flow-runs',
    {
      config: { scope: 'flows:read' },
      schema: {
        operationId: 'listFlowRuns',
        tags: ['Flows'],
        summary: 'List flow runs',
        description:
          'Runs of all flows, newest first, with a cursor. Filters are combined with AND. A run that waits is `running`.',
        querystring: FlowRunsQuery,
        response: { 200: FlowRunList },
      },
    },
    ({ ctx, query }) => listFlowRuns(ctx, query),
  )

  app.get(
    '/flow-runs/:runId',
    {
      config: { scope: 'flows:read' },
      schema: {
        operationId: 'getFlowRun',
        tags: ['Flows'],
        summary: 'Get a flow run',
        description: 'The run with its steps and the variables that it collected.',
        params: FlowRunParams,
        response: { 200: FlowRunAnswer, ...errors('FLOW_RUN_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => getFlowRun(ctx, params.runId),
  )
  registerChanges(app)
}

const registerChanges = (app: App): void => {
  app.post(
    '/flow-runs/:runId/cancel',
    {
      config: { scope: 'flows:run', budget: 'change' },
      schema: {
        operationId: 'cancelFlowRun',
        tags: ['Flows'],
        summary: 'Cancel a flow run',
        description:
          'The run ends as `cancelled` shortly after, with the end reason `stopped`; the response may still show it as `running`. Cancelling a run that has ended changes nothing.',
        params: FlowRunParams,
        response: { 200: FlowRunAnswer, ...errors('FLOW_RUN_NOT_FOUND') },
      },
    },
    async ({ ctx, params }) => {
      await cancelRun(ctx, params.runId)
      return getFlowRun(ctx, params.runId)
    },
  )

  app.post(
    '/flows/:flowId/runs',
    {
      config: { scope: 'flows:run', budget: 'change' },
      schema: {
        operationId: 'startFlowRun',
        tags: ['Flows'],
        summary: 'Start a flow',
        description:
          'Starts a live flow in a conversation, or in the contact’s latest one, whatever its triggers. It takes its first steps right after the response. An API token can’t start a flow that writes to the customer while a person has the conversation, unless the flow’s trigger for the API says `evenIfAssigned`.',
        params: FlowParams,
        body: StartRunBody,
        response: {
          200: FlowRunAnswer,
          ...errors(
            'FLOW_NOT_FOUND',
            'FLOW_NOT_LIVE',
            'FLOW_IS_RUNNING',
            'CONVERSATION_WITH_PERSON',
            'CONVERSATION_NOT_FOUND',
          ),
        },
      },
    },
    async ({ ctx, params, body }) => {
      const { conversationId, contactId, variables = {} } = body
      // The schema requires one of the two.
      const where = conversationId !== undefined ? { conversationId } : { contactId: contactId! }
      const { runId } = await startRun(ctx, { ...params, ...where, variables })
      return getFlowRun(ctx, runId)
    },
  )
}
