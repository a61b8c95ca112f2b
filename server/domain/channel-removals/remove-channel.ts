import { type Channel, DeliveryError } from '../../../channels/channel.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError } from '../../platform/errors.ts'
import { addJob } from '../../platform/queue/add-job.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { placesOf } from '../channel-accounts/assert-unique-address.ts'
import { findChannelAccount, readableSecrets } from '../channel-accounts/queries.ts'
import { setRemoved } from '../channel-accounts/removal-queries.ts'
import { hastenDeliveries } from '../deliveries/due-deliveries.ts'
import { upsertDeletion } from '../retention/queries.ts'
import { lockWorkspace } from '../workspaces/queries.ts'
import { findAffected } from './queries.ts'
import type { RemovalPreview } from './schema.ts'

/** For taking our address back from the provider; the removal does not depend on it. */
const UNREGISTER_TIMEOUT_MS = 10_000

type Removal = { channelId: string; conversations: 'keep' | 'delete' }

/** Throws CHANNEL_NOT_FOUND. */
export const previewRemoval = async (ctx: Ctx, channelId: string): Promise<RemovalPreview> => {
  if (!(await findChannelAccount(ctx, channelId))) throw new ApiError('CHANNEL_NOT_FOUND')
  return findAffected(ctx, channelId)
}

/**
 * Removes a channel account with its credentials. From the commit on, its webhook address is unknown and nothing is
 * sent; messages that wait for it fail with a reason, and one that is being sent right now keeps its outcome. Its
 * conversations stay, and adding the same number, mailbox, page or bot again takes them up; or they are deleted, by the
 * job that applies rules of retention. Returns what is left to do at the provider. Throws CHANNEL_NOT_FOUND.
 */
export const removeChannel = async (
  ctx: Ctx,
  { channelId, conversations }: Removal,
): Promise<{ notice: string | null }> => {
  const { account, secrets } = await inTransaction(ctx, async (ctx) => {
    await lockWorkspace(ctx)
    const account = await findChannelAccount(ctx, channelId)
    if (!account) throw new ApiError('CHANNEL_NOT_FOUND')
    const secrets = readableSecrets(ctx.seal, account)
    await setRemoved(ctx, channelId, secrets ? placesOf({ ...account, secrets }) : {})
    await hastenDeliveries(ctx, channelId)
    if (conversations === 'delete') {
      await upsertDeletion(ctx, channelId)
      await addJob(ctx, 'apply_retention', {})
    }
    await recordAudit(ctx, {
      action: 'channel.removed',
      target: { type: 'channel', id: channelId, name: account.name },
      changes: {
        channel: { from: account.channel },
        address: { from: account.address },
        conversations: { to: conversations === 'keep' ? 'kept' : 'deleted' },
      },
    })
    return { account, secrets }
  })
  const { id, address, settings, channel } = account
  const protocol: Channel = ctx.channels[channel]
  if (!protocol.registerWebhook || !protocol.unregisterWebhook)
    return { notice: protocol.send && channel !== 'email' ? ENTERED_BY_HAND : null }
  try {
    if (!secrets) return { notice: NOT_UNREGISTERED }
    const opened = { id, address, settings: settings as Record<string, unknown>, secrets }
    await protocol.unregisterWebhook(opened, { timeoutMs: UNREGISTER_TIMEOUT_MS })
    return { notice: null }
  } catch (error) {
    ctx.log.warn({ err: error, channelAccountId: id }, 'a webhook could not be unregistered')
    return {
      notice: error instanceof DeliveryError ? `${NOT_UNREGISTERED} ${error.message}` : NOT_UNREGISTERED,
    }
  }
}

const ENTERED_BY_HAND = 'The webhook address is still entered at the provider. Remove it there.'
const NOT_UNREGISTERED =
  'The webhook couldn’t be unregistered at the provider, which may go on calling this server in vain.'
