import { isPrivateHost } from '../../../channels/channel.ts'
import { DEFINITIONS } from '../../../channels/definitions.ts'
import type { ChannelName } from '../../platform/db/tables.ts'
import { isLoopbackUrl } from '../../platform/loopback.ts'
import type { StoredChannelAccount } from './schema.ts'

/** Twilio also delivers to http. */
const TAKES_HTTP: readonly ChannelName[] = ['sms']

const isPrivateUrl = (url: unknown): boolean =>
  typeof url === 'string' && URL.canParse(url) && isPrivateHost(new URL(url).hostname)

/** Why the account's provider, or a visitor of the site, can't reach this server; null if nothing is known against it. */
export const webhookWarningOf = (
  publicUrl: string,
  { channel, settings }: Pick<StoredChannelAccount, 'channel' | 'settings'>,
): string | null => {
  const { how } = DEFINITIONS[channel].setup
  if (how === 'mailbox') return null
  if (how === 'script')
    return isLoopbackUrl(publicUrl)
      ? `Only this computer can reach ${publicUrl}. Set PUBLIC_URL to this server’s public address before you use the tag on a site.`
      : null
  // A provider in the same network, such as the demo's sandbox.
  if ('apiUrl' in settings && isPrivateUrl(settings.apiUrl)) return null
  if (isPrivateUrl(publicUrl))
    return `Providers can’t reach ${publicUrl}. Set PUBLIC_URL to this server’s public address, then use the new webhook address.`
  if (publicUrl.startsWith('http:') && !TAKES_HTTP.includes(channel))
    return `The provider only accepts webhook addresses that begin with https://. Set PUBLIC_URL to such an address.`
  return null
}
