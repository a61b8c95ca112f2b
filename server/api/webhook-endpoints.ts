// Webhooks: endpoints, what was sent to them, and sending it again. The console has the same routes for admins.
import { createEndpoint } from '../domain/webhooks/create-endpoint.ts'
import { deleteEndpoint } from '../domain/webhooks/delete-endpoint.ts'
import {
  DeliveryAnswer,
  DeliveryDetails,
  DeliveryList,
  DeliveryQuery,
  ReplayBody,
  StartedReplay,
  TestBody,
  TestedEndpoint,
} from '../domain/webhooks/delivery-schema.ts'
import { enableEndpoint } from '../domain/webhooks/enable-endpoint.ts'
import { getDelivery, listDeliveries } from '../domain/webhooks/get-deliveries.ts'
import { getEndpoint, listEndpoints } from '../domain/webhooks/get-endpoints.ts'
import { replayEvents } from '../domain/webhooks/replay-events.ts'
import { retryDelivery } from '../domain/webhooks/retry-delivery.ts'
import { rotateSecret } from '../domain/webhooks/rotate-secret.ts'
import {
  CreatedEndpoint,
  DeliveryParams,
  EnableBody,
  EndpointAnswer,
  EndpointList,
  EndpointParams,
  EndpointRemoved,
  NewWebhookEndpoint,
  RotateBody,
  RotatedSecret,
  WebhookEndpointChanges,
} from '../domain/webhooks/schema.ts'
import { disableEndpoint, pauseEndpoint } from '../domain/webhooks/stop-endpoint.ts'
import { performTest, prepareTest } from '../domain/webhooks/test-endpoint.ts'
import { updateEndpoint } from '../domain/webhooks/update-endpoint.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

const TAGS = ['Webhooks']
const READS = { scope: 'webhooks:manage', permission: 'admin' } as const
const CHANGES = { ...READS, budget: 'change' } as const
/** Each makes us send requests. */
const SENDS = { ...READS, budget: 'broadcast' } as const
/** Beyond the time limit of the request. */
const TEST_MS = 20_000

export const registerWebhookEndpoints = (app: App): void => {
  registerEndpoints(app)
  registerStates(app)
  registerSending(app)
  registerLog(app)
}

const registerEndpoints = (app: App): void => {
  app.get(
    '/webhook-endpoints',
    {
      config: READS,
      schema: {
        operationId: 'listWebhookEndpoints',
        tags: TAGS,
        summary: 'List webhook endpoints',
        description: 'All endpoints with their health, the oldest first.',
        response: { 200: EndpointList },
      },
    },
    ({ ctx }) => listEndpoints(ctx),
  )
  app.post(
    '/webhook-endpoints',
    {
      config: { ...CHANGES, isConfidential: true },
      schema: {
        operationId: 'createWebhookEndpoint',
        tags: TAGS,
        summary: 'Create a webhook endpoint',
        description:
          'Events from now on are sent to the URL as the body of a POST, signed as Standard Webhooks says: https://www.standardwebhooks.com. An event is sent at least once, with the same `webhook-id` each time; a 2xx status within 15 seconds ends that. The response has the secret, so an Idempotency-Key has no effect: use `externalRef`.',
        body: NewWebhookEndpoint,
        response: { 200: CreatedEndpoint, ...errors('WEBHOOK_LIMIT_REACHED', 'VALIDATION_ERROR') },
      },
    },
    ({ ctx, body }) => createEndpoint(ctx, body),
  )
  app.get(
    '/webhook-endpoints/:endpointId',
    {
      config: READS,
      schema: {
        operationId: 'getWebhookEndpoint',
        tags: TAGS,
        summary: 'Get a webhook endpoint',
        description: 'The endpoint with its health. Secrets and the values of headers are never returned.',
        params: EndpointParams,
        response: { 200: EndpointAnswer, ...errors('WEBHOOK_ENDPOINT_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => getEndpoint(ctx, params.endpointId),
  )
  app.patch(
    '/webhook-endpoints/:endpointId',
    {
      config: CHANGES,
      schema: {
        operationId: 'updateWebhookEndpoint',
        tags: TAGS,
        summary: 'Change a webhook endpoint',
        description:
          'Changes what is given; `headers` replaces the list. A new host needs the values of headers again.',
        params: EndpointParams,
        body: WebhookEndpointChanges,
        response: { 200: EndpointAnswer, ...errors('WEBHOOK_ENDPOINT_NOT_FOUND', 'VALIDATION_ERROR') },
      },
    },
    ({ ctx, params, body }) => updateEndpoint(ctx, params.endpointId, body),
  )
  app.delete(
    '/webhook-endpoints/:endpointId',
    {
      config: CHANGES,
      schema: {
        operationId: 'deleteWebhookEndpoint',
        tags: TAGS,
        summary: 'Delete a webhook endpoint',
        description: 'Nothing more is sent, and its log is deleted.',
        params: EndpointParams,
        response: { 200: EndpointRemoved, ...errors('WEBHOOK_ENDPOINT_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => deleteEndpoint(ctx, params.endpointId),
  )
}

const registerStates = (app: App): void => {
  app.post(
    '/webhook-endpoints/:endpointId/enable',
    {
      config: CHANGES,
      schema: {
        operationId: 'enableWebhookEndpoint',
        tags: TAGS,
        summary: 'Enable a webhook endpoint',
        description: 'Sends events again, with those since it was paused or disabled or without them.',
        params: EndpointParams,
        body: EnableBody,
        response: { 200: EndpointAnswer, ...errors('WEBHOOK_ENDPOINT_NOT_FOUND', 'VALIDATION_ERROR') },
      },
    },
    ({ ctx, params, body }) => enableEndpoint(ctx, params.endpointId, body),
  )
  app.post(
    '/webhook-endpoints/:endpointId/pause',
    {
      config: CHANGES,
      schema: {
        operationId: 'pauseWebhookEndpoint',
        tags: TAGS,
        summary: 'Pause a webhook endpoint',
        description: 'Events are kept for it, and nothing is sent until it is enabled.',
        params: EndpointParams,
        response: { 200: EndpointAnswer, ...errors('WEBHOOK_ENDPOINT_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => pauseEndpoint(ctx, params.endpointId),
  )
  app.post(
    '/webhook-endpoints/:endpointId/disable',
    {
      config: CHANGES,
      schema: {
        operationId: 'disableWebhookEndpoint',
        tags: TAGS,
        summary: 'Disable a webhook endpoint',
        description: 'Nothing is sent, and no new events are kept for it apart from the feed.',
        params: EndpointParams,
        response: { 200: EndpointAnswer, ...errors('WEBHOOK_ENDPOINT_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => disableEndpoint(ctx, params.endpointId),
  )
  app.post(
    '/webhook-endpoints/:endpointId/rotate-secret',
    {
      config: { ...CHANGES, isConfidential: true },
      schema: {
        operationId: 'rotateWebhookSecret',
        tags: TAGS,
        summary: 'Rotate the signing secret',
        description:
          'Requests are signed with the new secret, and with the previous one as well until `previousValidUntil`.',
        params: EndpointParams,
        body: RotateBody,
        response: { 200: RotatedSecret, ...errors('WEBHOOK_ENDPOINT_NOT_FOUND', 'VALIDATION_ERROR') },
      },
    },
    ({ ctx, params, body }) => rotateSecret(ctx, params.endpointId, body),
  )
}

const registerSending = (app: App): void => {
  app.post(
    '/webhook-endpoints/:endpointId/test',
    {
      config: {
        ...SENDS,
        settling: {
          isSettled: ({ attempt }: TestedEndpoint) => attempt !== null,
          settle: performTest,
          provisionalMs: TEST_MS,
        },
      },
      schema: {
        operationId: 'testWebhookEndpoint',
        tags: TAGS,
        summary: 'Test a webhook endpoint',
        description:
          'Sends a test event now, waits for the response for up to 15 seconds, and shows both with what was signed. `foyer-kind` is `test`.',
        params: EndpointParams,
        body: TestBody,
        response: { 200: TestedEndpoint, ...errors('WEBHOOK_ENDPOINT_NOT_FOUND', 'VALIDATION_ERROR') },
      },
    },
    ({ ctx, params, body }) => prepareTest(ctx, params.endpointId, body),
  )
  app.post(
    '/webhook-endpoints/:endpointId/replay',
    {
      config: SENDS,
      schema: {
        operationId: 'replayWebhookEvents',
        tags: TAGS,
        summary: 'Replay events',
        description:
          'Sends events of the feed again that the endpoint wants now, with the same ids. New events don’t wait for them. `foyer-kind` is `replay`.',
        params: EndpointParams,
        body: ReplayBody,
        response: { 200: StartedReplay, ...errors('WEBHOOK_ENDPOINT_NOT_FOUND', 'VALIDATION_ERROR') },
      },
    },
    ({ ctx, params, body }) => replayEvents(ctx, params.endpointId, body),
  )
  app.post(
    '/webhook-deliveries/:deliveryId/retry',
    {
      config: CHANGES,
      schema: {
        operationId: 'retryWebhookDelivery',
        tags: TAGS,
        summary: 'Retry a webhook delivery',
        description: 'Sends it now, whether it was delivered, failed or still waits.',
        params: DeliveryParams,
        response: { 200: DeliveryAnswer, ...errors('WEBHOOK_DELIVERY_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => retryDelivery(ctx, params.deliveryId),
  )
}

const registerLog = (app: App): void => {
  app.get(
    '/webhook-endpoints/:endpointId/deliveries',
    {
      config: READS,
      schema: {
        operationId: 'listWebhookDeliveries',
        tags: TAGS,
        summary: 'List webhook deliveries',
        description:
          'What was or will be sent to the endpoint, newest first. Delivered ones are kept for 7 days, failed ones for 30.',
        params: EndpointParams,
        querystring: DeliveryQuery,
        response: { 200: DeliveryList, ...errors('WEBHOOK_ENDPOINT_NOT_FOUND', 'VALIDATION_ERROR') },
      },
    },
    ({ ctx, params, query }) => listDeliveries(ctx, params.endpointId, query),
  )
  app.get(
    '/webhook-deliveries/:deliveryId',
    {
      config: READS,
      schema: {
        operationId: 'getWebhookDelivery',
        tags: TAGS,
        summary: 'Get a webhook delivery',
        description: 'With each attempt, and the bytes that were signed.',
        params: DeliveryParams,
        response: { 200: DeliveryDetails, ...errors('WEBHOOK_DELIVERY_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => getDelivery(ctx, params.deliveryId),
  )
}
