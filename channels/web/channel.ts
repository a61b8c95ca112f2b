import type { Channel } from '../contract/channel.ts'

/** The customer's page reads stored messages directly: there is no provider. */
export const web: Channel = {
  delivery: 'stored',
  isResendHarmless: true,
  attachments: { max: 10, bytesMax: 25 * 1024 * 1024 },
}
