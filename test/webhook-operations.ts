import { newId } from '../server/platform/db/id.ts'
import type { Call, Operation, World } from './operations.ts'

const nobody = 'c00000000000000000000nobody'.slice(0, 25)
const HOOK = { url: 'http://127.0.0.1:1024/hook' }

/** What is posted to an endpoint or a delivery, and takes nothing but its id. */
const onEndpoint =
  (verb: string, body?: unknown) =>
  (id: string): Call => ({
    method: 'POST',
    path: `/webhook-endpoints/${id}/${verb}`,
    ...(body !== undefined && { body }),
  })

const ofEndpoint = (
  limit: Operation['limit'],
  call: (id: string) => Call,
  invalid?: (id: string) => Call,
): Operation => ({
  limit,
  success: ({ endpointId }) => call(endpointId),
  refusals: Object.fromEntries([
    ['WEBHOOK_ENDPOINT_NOT_FOUND', () => call(nobody)],
    ...(invalid ? [['VALIDATION_ERROR', ({ endpointId }: World) => invalid(endpointId)] as const] : []),
  ]),
  withId: { path: (_, id) => call(id) },
  foreign: { path: ({ endpointId }) => endpointId },
})

const ofDelivery = (limit: Operation['limit'], call: (id: string) => Call): Operation => ({
  limit,
  success: ({ deliveryId }) => call(deliveryId),
  refusals: Object.fromEntries([['WEBHOOK_DELIVERY_NOT_FOUND', () => call(nobody)]]),
  withId: { path: (_, id) => call(id) },
  foreign: { path: ({ deliveryId }) => deliveryId },
})

const at =
  (method: Call['method'], body?: unknown) =>
  (id: string): Call => ({
    method,
    path: `/webhook-endpoints/${id}`,
    ...(body !== undefined && { body }),
  })

export const WEBHOOK_OPERATIONS: Record<string, Operation> = {
  listWebhookEndpoints: { limit: 100, success: () => ({ method: 'GET', path: '/webhook-endpoints' }) },
  createWebhookEndpoint: {
    limit: 30,
    ignoresKey: true,
    success: () => ({ method: 'POST', path: '/webhook-endpoints', body: HOOK }),
    refusals: {
      VALIDATION_ERROR: () => ({ method: 'POST', path: '/webhook-endpoints', body: { url: 'ftp://x' } }),
      WEBHOOK_LIMIT_REACHED: async ({ workspace, endpointId }, _, { db }) => {
        const endpoint = await db
          .selectFrom('webhook_endpoints')
          .selectAll()
          .where('workspace_id', '=', workspace.id)
          .where('id', '=', endpointId)
          .executeTakeFirstOrThrow()
        const others = Array.from({ length: 19 }, () => ({ ...endpoint, id: newId(), filter: '{}' }))
        await db.insertInto('webhook_endpoints').values(others).execute()
        return { method: 'POST', path: '/webhook-endpoints', body: HOOK }
      },
    },
    withId: {
      tagIds: (_, id) => ({
        method: 'POST',
        path: '/webhook-endpoints',
        body: { ...HOOK, filter: { tagIds: [id] } },
      }),
      agentIds: (_, id) => ({
        method: 'POST',
        path: '/webhook-endpoints',
        body: { ...HOOK, filter: { agentIds: [id] } },
      }),
    },
    foreign: { tagIds: ({ tagId }) => tagId, agentIds: ({ agent }) => agent.id },
  },
  getWebhookEndpoint: ofEndpoint(100, at('GET')),
  updateWebhookEndpoint: ofEndpoint(30, at('PATCH', { name: 'CRM' }), at('PATCH', {})),
  deleteWebhookEndpoint: ofEndpoint(30, at('DELETE')),
  enableWebhookEndpoint: ofEndpoint(30, onEndpoint('enable', { backlog: 'skip' }), onEndpoint('enable', {})),
  pauseWebhookEndpoint: ofEndpoint(30, onEndpoint('pause')),
  disableWebhookEndpoint: { ...ofEndpoint(30, onEndpoint('disable')), events: ['webhook_endpoint.disabled'] },
  rotateWebhookSecret: {
    ...ofEndpoint(30, onEndpoint('rotate-secret', {}), onEndpoint('rotate-secret', { overlapHours: 169 })),
    ignoresKey: true,
  },
  testWebhookEndpoint: ofEndpoint(10, onEndpoint('test', {}), onEndpoint('test', { type: 'No type' })),
  replayWebhookEvents: ofEndpoint(
    10,
    onEndpoint('replay', { from: 1 }),
    onEndpoint('replay', { from: 2, to: 1 }),
  ),
  retryWebhookDelivery: ofDelivery(30, (id) => ({ method: 'POST', path: `/webhook-deliveries/${id}/retry` })),
  listWebhookDeliveries: ofEndpoint(
    100,
    (id) => ({ method: 'GET', path: `/webhook-endpoints/${id}/deliveries` }),
    (id) => ({ method: 'GET', path: `/webhook-endpoints/${id}/deliveries?limit=0` }),
  ),
  getWebhookDelivery: ofDelivery(100, (id) => ({ method: 'GET', path: `/webhook-deliveries/${id}` })),
}
