import type { SocialChannelName, SocialItem } from '../../../channels/channel.ts'
import { type ApiDeps, type App, ctxOf } from '../../http/api.ts'
import type { Connected } from '../accounts.ts'
import { makeIngest, type Routed } from '../ingest.ts'
import { storeSocialItems } from './store-items.ts'

/** Takes what the webhooks of a channel bring. */
export const makeSocialIngest = <C extends SocialChannelName>(app: App, deps: ApiDeps, channel: C) => {
  const ingest = makeIngest<SocialItem>(
    (workspaceId) => ctxOf(deps, app.log, workspaceId, { type: 'customer', contactId: null }),
    (ctx, routed) => storeSocialItems(ctx, channel, routed),
  )
  return {
    take: (connected: Connected<C>, items: readonly SocialItem[]): Promise<void> =>
      ingest.take(
        connected.workspaceId,
        items.map((item) => route(connected, item)),
      ),
  }
}

/** An item for a page or number that is none of ours stays with the account that it came to, as it is. */
const route = (connected: Connected<SocialChannelName>, item: SocialItem): Routed<SocialItem> => {
  const { accountName } = item
  if (accountName === null) return { channelAccountId: connected.id, item }
  const channelAccountId = connected.byName.get(accountName)
  if (channelAccountId) return { channelAccountId, item }
  const raw = item.type === 'unknown' ? item.raw : JSON.stringify(item)
  return {
    channelAccountId: connected.id,
    item: { type: 'unknown', accountName, sentAt: item.sentAt, reason: 'field', raw },
  }
}
