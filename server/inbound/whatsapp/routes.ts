import type { InboundItem } from '../../../channels/channel.ts'
import { type ApiDeps, type App, ctxOf } from '../../http/api.ts'
import type { Connected } from '../accounts.ts'
import { makeIngest, type Routed } from '../ingest.ts'
import { registerMetaWebhook } from '../meta-webhook.ts'
import { storeItems } from './store-items.ts'

/** Registers the routes under /webhooks/whatsapp. */
export const registerWhatsappWebhook = (app: App, deps: ApiDeps): void => {
  const { whatsapp } = deps.channels
  const ingest = makeIngest(
    (workspaceId) => ctxOf(deps, app.log, workspaceId, { type: 'customer', contactId: null }),
    storeItems,
  )
  registerMetaWebhook(app, deps, {
    channel: 'whatsapp',
    nameOf: ({ settings }) => settings.phoneNumberId,
    take: (connected, body) =>
      ingest.take(
        connected.workspaceId,
        whatsapp.parseWebhook(body).map((item) => route(connected, item)),
      ),
  })
}

/** An item for a number that is none of ours stays with the account that it came to, as it is. */
const route = (connected: Connected<'whatsapp'>, item: InboundItem): Routed<InboundItem> => {
  const { phoneNumberId } = item.source
  if (phoneNumberId === null) return { channelAccountId: connected.id, item }
  const channelAccountId = connected.byName.get(phoneNumberId)
  if (channelAccountId) return { channelAccountId, item }
  return {
    channelAccountId: connected.id,
    item: {
      type: 'unknown',
      source: item.source,
      sentAt: item.sentAt,
      reason: 'field',
      raw: JSON.stringify(item),
    },
  }
}
