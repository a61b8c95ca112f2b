import type { InboundItem } from '../../../channels/channel.ts'
import { WEBHOOKS, type WebhookChannelName } from '../../../channels/definitions.ts'
import { type ApiDeps, type App, ctxOf } from '../../platform/http/api.ts'
import { mapInTurns } from '../../platform/in-turns.ts'
import type { Connected } from '../accounts.ts'
import { makeIngest } from '../ingest.ts'
import type { Routed } from '../store-batch.ts'
import { storeItems } from './store-items.ts'

/** Processes what a channel's webhooks bring. */
export const makeItemIngest = <C extends WebhookChannelName>(app: App, deps: ApiDeps, channel: C) => {
  const ingest = makeIngest<InboundItem>({
    ctxOf: (workspaceId) => ctxOf(deps, app, workspaceId, { type: 'customer', contactId: null }),
    store: (ctx, routed) => storeItems(ctx, channel, routed),
    personOf,
    redelivers: WEBHOOKS[channel].redelivers,
  })
  return {
    take: async (connected: Connected<C>, items: readonly InboundItem[]): Promise<void> =>
      ingest.take(connected.workspaceId, await mapInTurns(items, (item) => route(connected, item))),
  }
}

/**
 * An item for a page or number that isn't ours stays with the account that received it until that one is connected.
 */
const route = (connected: Connected<WebhookChannelName>, item: InboundItem): Routed<InboundItem> => {
  const { accountName } = item
  if (accountName === null) return { channelAccountId: connected.id, item }
  const channelAccountId = connected.byName.get(accountName)
  if (channelAccountId) return { channelAccountId, item }
  if (item.type === 'unknown') return { channelAccountId: connected.id, item }
  const raw = JSON.stringify(item)
  return {
    channelAccountId: connected.id,
    item: { type: 'unknown', accountName, sentAt: item.sentAt, reason: 'notConnected', raw },
  }
}

/** Who an item is about, by the provider's id; null if it does not say. */
const personOf = (item: InboundItem): string | null => {
  if (item.type === 'edit' && item.whole) return item.whole.person.externalId
  return 'person' in item ? (item.person?.externalId ?? null) : null
}
