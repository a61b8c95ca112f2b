import type { ApiDeps, App } from '../../platform/http/api.ts'
import { makeItemIngest } from '../items/take-items.ts'
import { registerMetaWebhook } from '../meta-webhook.ts'

/** Registers the routes under /webhooks/facebook. */
export const registerFacebookWebhook = (app: App, deps: ApiDeps): void => {
  const { facebook } = deps.channels
  const ingest = makeItemIngest(app, deps, 'facebook')
  registerMetaWebhook(app, deps, {
    channel: 'facebook',
    take: (connected, body) => ingest.take(connected, facebook.parseWebhook(body)),
  })
}
