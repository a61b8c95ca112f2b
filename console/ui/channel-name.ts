import { CHANNEL_NAMES } from '../../channels/names.ts'
import { t } from '../words/t.ts'

/** Those that aren't names of products. */
const TRANSLATED: Record<string, string | undefined> = { web: t`Web chat`, email: t`Email` }

// Wider types, because a URL may contain any string as the channel.
export const channelName = (channel: string): string =>
  TRANSLATED[channel] ?? (CHANNEL_NAMES as Record<string, string | undefined>)[channel] ?? channel
