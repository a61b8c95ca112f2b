import { DeliveryError } from '../../../channels/channel.ts'
import type { Ctx } from '../../ctx.ts'
import { ApiError } from '../../errors.ts'
import { webhookUrl } from './add-channel-account.ts'
import { CHECK_TIMEOUT_MS, type CheckedChannel, checkChannelAccount } from './check-channel-account.ts'
import { findChannelAccount, openSecrets } from './queries.ts'

/**
 * Tells a bot's provider where its messages go, which only Telegram is told by us and not by hand, and answers as a check
 * does. Doing it again changes nothing. Throws CHANNEL_NOT_FOUND.
 */
export const registerWebhook = async (ctx: Ctx, channelId: string): Promise<CheckedChannel> => {
  const account = await findChannelAccount(ctx, channelId)
  if (!account) throw new ApiError('CHANNEL_NOT_FOUND')
  if (account.channel !== 'telegram') return failed('The address is entered at the provider by hand.')
  const { id, channel, address, settings } = account
  const url = webhookUrl(ctx.publicUrl, channel, id)
  try {
    const secrets = openSecrets(ctx.seal, account) as Record<string, string>
    await ctx.channels.telegram.registerWebhook({ id, address, settings, secrets }, url, {
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
