// The channels with their display names, in sort order. Part of the console's first load; the rest is in each channel's
// definition.
export const CHANNEL_NAMES = {
  web: 'Web chat',
  whatsapp: 'WhatsApp',
  facebook: 'Messenger',
  telegram: 'Telegram',
  sms: 'SMS',
  email: 'Email',
} as const

export type ChannelName = keyof typeof CHANNEL_NAMES

// Object.keys gives plain strings; these are the keys above.
export const CHANNELS = Object.keys(CHANNEL_NAMES) as ChannelName[]
