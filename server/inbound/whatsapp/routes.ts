import type { ApiDeps, App } from '../../platform/http/api.ts'
import { makeItemIngest } from '../items/take-items.ts'
import { registerMetaWebhook } from '../meta-webhook.ts'

/** Registers the routes under /webhooks/whatsapp. */
export const registerWhatsappWebhook = (app: App, deps: ApiDeps): void => {
  const { whatsapp } = deps.channels
  const ingest = makeItemIngest(app, deps, 'whatsapp')
  registerMetaWebhook(app, deps, {
    channel: 'whatsapp',
    take: (connected, body) => ingest.take(connected, whatsapp.parseWebhook(body)),
  })
}
