import type { ChannelDefinition } from '../definition.ts'
import { apiUrl, LINK_PREVIEWS, NAME_OF_BOT } from '../fields.ts'

export const telegram = {
  about: 'A Telegram bot.',
  command: 'Connect a Telegram bot.',
  fields: {
    botToken: {
      type: 'text',
      in: 'secrets',
      label: 'Bot token',
      hint: 'From @BotFather in Telegram: /newbot, or /mybots → your bot → API Token. Looks like 123456789:AAF….',
      value: 'TOKEN',
      isUnique: true,
      // A bot's token is its id plus a secret, which is replaced if it leaks.
      uniquePart: (token) => token.split(':', 1)[0]!,
    },
    webhookSecret: {
      type: 'text',
      in: 'secrets',
      label: 'Webhook secret',
      hint: 'Any random letters, digits, _ and -. Used to verify that webhooks come from Telegram.',
      value: 'SECRET',
      isOwn: true,
    },
    linkPreviews: LINK_PREVIEWS,
    name: NAME_OF_BOT,
    apiUrl: apiUrl('Telegram', 'botToken', 'webhookSecret'),
  },
  nameOf: () => 'Telegram',
  setup: { how: 'registered' },
  identityKinds: { telegram: 'none' },
  /** Telegram allows longer titles, but its apps cut what a phone's width doesn't hold. */
  choices: { buttons: { max: 31, titleMax: 34, textMax: 4_096 } },
  inbound: { receives: 'items', unnamed: 'Telegram user', redelivers: true },
} as const satisfies ChannelDefinition
