import { createEndpoint } from '../server/domain/webhooks/create-endpoint.ts'
import { makeEvents } from '../server/domain/webhooks/testing/make-events.ts'
import type { TestApp } from './app.ts'

/** Nothing listens there. */
const NOBODY = 'http://127.0.0.1:1024/'

/** An endpoint with one delivery, which nobody sends without a worker. */
export const makeWebhook = async (app: TestApp, workspaceId: string, name: string) => {
  const { webhookEndpoint } = await createEndpoint(app.ctxOf(workspaceId), {
    url: `${NOBODY}${name}`,
    name: `${name} endpoint`,
  })
  await makeEvents(app, workspaceId, [{}])
  const { id: deliveryId } = await app.db
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return { endpointId: webhookEndpoint.id, deliveryId }
}
