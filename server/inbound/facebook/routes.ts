import type { ApiDeps, App } from '../../http/api.ts'
import { registerMetaWebhook } from '../meta-webhook.ts'
import { makeSocialIngest } from '../social/ingest-social.ts'

/** Registers the routes under /webhooks/facebook. */
export const registerFacebookWebhook = (app: App, deps: ApiDeps): void => {
  const { facebook } = deps.channels
  const ingest = makeSocialIngest(app, deps, 'facebook')
  registerMetaWebhook(app, deps, {
    channel: 'facebook',
    nameOf: ({ settings }) => settings.pageId,
    take: (connected, body) => ingest.take(connected, facebook.parseWebhook(body)),
  })
}
