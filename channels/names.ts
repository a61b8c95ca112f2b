// The list of channels, in the order of every list that sorts by them, with what people call each. It is part of the
// console's first load; the rest of what defines a channel is in its definition.
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
