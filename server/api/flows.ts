import { getFlow, listFlows } from '../domain/flows/list-flows.ts'
import { FlowAnswer, FlowList, FlowParams, FlowsQuery } from '../domain/flows/schema.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

export const registerFlows = (app: App): void => {
  registerFlowList(app)
  app.get(
    '/flows/:flowId',
    {
      config: { scope: 'flows:read' },
      schema: {
        operationId: 'getFlow',
        tags: ['Flows'],
        summary: 'Get a flow',
        description: 'The flow with the definition of its live version.',
        params: FlowParams,
        response: { 200: FlowAnswer, ...errors('FLOW_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => getFlow(ctx, params.flowId),
  )
}

/** People get a flow with its draft, versions and tests; see console-api/flows.ts. */
export const registerFlowList = (app: App): void => {
  app.get(
    '/flows',
    {
      config: { scope: 'flows:read' },
      schema: {
        operationId: 'listFlows',
        tags: ['Flows'],
        summary: 'List flows',
        description:
          'The automation of the workspace: flows that customers’ messages, events or this API start. They are edited in the console.',
        querystring: FlowsQuery,
        response: { 200: FlowList },
      },
    },
    ({ ctx, query }) => listFlows(ctx, query),
  )
}
