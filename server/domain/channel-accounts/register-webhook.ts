import { type Channel, DeliveryError } from '../../../channels/channel.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { ChannelName } from '../../platform/db/tables.ts'
import { ApiError } from '../../platform/errors.ts'
import { webhookUrl } from './add-channel-account.ts'
import { CHECK_TIMEOUT_MS, type CheckedChannel, checkChannelAccount } from './check-channel-account.ts'
import { findChannelAccount, openSecrets } from './queries.ts'

/** Whether the provider lets us do this. */
export const registersWebhook = (ctx: Ctx, channel: ChannelName): boolean => {
  const protocol: Channel = ctx.channels[channel]
  return protocol.registerWebhook !== undefined
}

/**
 * Sets up the webhook with the bot's provider (only Telegram lets us do this), and reports like a check. Repeating it
 * changes nothing. Throws CHANNEL_NOT_FOUND.
 */
export const registerWebhook = async (ctx: Ctx, channelId: string): Promise<CheckedChannel> => {
  const account = await findChannelAccount(ctx, channelId)
  if (!account) throw new ApiError('CHANNEL_NOT_FOUND')
  const { id, channel, address, settings } = account
  const protocol: Channel = ctx.channels[channel]
  if (!protocol.registerWebhook) return failed('Enter the webhook address at the provider manually.')
  const url = webhookUrl(ctx.publicUrl, channel, id)
  try {
    const secrets = openSecrets(ctx.seal, account) as Record<string, string>
    await protocol.registerWebhook({ id, address, settings, secrets }, url, {
      timeoutMs: CHECK_TIMEOUT_MS,
    })
  } catch (error) {
    ctx.log.warn({ err: error, channelAccountId: id }, 'a webhook could not be registered')
    // Its messages are written for people.
    return failed(error instanceof DeliveryError ? error.message : 'Something went wrong here.')
  }
  return checkChannelAccount(ctx, id)
}

const failed = (message: string): CheckedChannel => ({
  ok: false,
  checks: [{ name: 'Webhook', ok: false, message }],
})
