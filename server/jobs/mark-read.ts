// Tells a provider that an agent has read the customer's messages, which the customer then sees. Nothing depends on
// it: a failure changes nothing.

import { type Channel, DeliveryError } from '../../channels/channel.ts'
import { findChannelAccount, openSecrets } from '../domain/channel-accounts/queries.ts'
import { findLastRead } from '../domain/conversations/inbox-queries.ts'
import { systemCtx } from '../platform/ctx/system-ctx.ts'
import { addJob } from '../platform/queue/add-job.ts'
import type { JobPayloads } from '../platform/queue/catalogue.ts'
import { runAside } from './aside.ts'
import { backoffMs } from './delivery-timing.ts'
import type { JobDeps } from './deps.ts'

/** With the waits in between about a minute: later, it no longer matters to the customer. */
const TRIES_MAX = 6

/** The newest read message when the job runs counts, not the newest when it was added. */
export const markRead = async (deps: JobDeps, payload: JobPayloads['mark_read']): Promise<void> => {
  const { workspaceId, channelAccountId, conversationId, tries = 1 } = payload
  const ctx = systemCtx(deps, workspaceId)
  const externalId = await findLastRead(ctx, conversationId)
  const account = await findChannelAccount(ctx, channelAccountId)
  const channel: Channel | undefined = account && ctx.channels[account.channel]
  if (externalId === undefined || !account || !channel?.markRead) return
  const { markRead } = channel
  try {
    const opened = { ...account, secrets: openSecrets(deps.seal, account) }
    await runAside(ctx, 'mark_read', payload, () =>
      markRead(opened, externalId, { timeoutMs: deps.timing.sendTimeoutMs }),
    )
  } catch (error) {
    const isPassing = error instanceof DeliveryError && error.outcome !== 'refused'
    if (isPassing && tries < TRIES_MAX) {
      const runAt = new Date(ctx.now().getTime() + backoffMs(deps.timing, tries))
      return addJob(ctx, 'mark_read', { ...payload, tries: tries + 1 }, { runAt })
    }
    ctx.log.info(
      { err: error, workspaceId, conversationId, tries },
      'a read receipt could not be sent to a provider',
    )
  }
}
