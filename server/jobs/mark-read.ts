// Tells a provider that somebody here has read what the customer wrote, which the customer then sees. Nothing depends on
// it: what is refused stays as it is.
import { type Channel, DeliveryError } from '../../channels/channel.ts'
import { findChannelAccount, openSecrets } from '../resources/channel-accounts/queries.ts'
import { findLastRead } from '../resources/conversations/inbox-queries.ts'
import { addJob } from './add-job.ts'
import type { JobPayloads } from './catalogue.ts'
import { backoffMs } from './delivery-timing.ts'
import { type JobDeps, systemCtx } from './deps.ts'

/** With the waits between them about a minute: after that the customer may do without. */
const TRIES_MAX = 6

/** The newest message that was read counts when the job runs, whatever was the newest when it was added. */
export const markRead = async (deps: JobDeps, payload: JobPayloads['mark_read']): Promise<void> => {
  const { workspaceId, channelAccountId, conversationId, tries = 1 } = payload
  const ctx = systemCtx(deps, workspaceId)
  const externalId = await findLastRead(ctx, conversationId)
  const account = await findChannelAccount(ctx, channelAccountId)
  const channel: Channel | undefined = account && ctx.channels[account.channel]
  if (externalId === undefined || !account || !channel?.markRead) return
  try {
    const opened = { ...account, secrets: openSecrets(deps.seal, account) }
    await channel.markRead(opened, externalId, { timeoutMs: deps.timing.sendTimeoutMs })
  } catch (error) {
    const isPassing = error instanceof DeliveryError && error.outcome !== 'refused'
    if (isPassing && tries < TRIES_MAX) {
      const runAt = new Date(ctx.now().getTime() + backoffMs(deps.timing, tries))
      return addJob(ctx, 'mark_read', { ...payload, tries: tries + 1 }, { runAt })
    }
    ctx.log.info(
      { err: error, workspaceId, conversationId, tries },
      'a provider was not told of a read message',
    )
  }
}
