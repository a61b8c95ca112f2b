import type { ChannelDefinition } from '../definition.ts'
import { APP_SECRET, apiUrl, NAME, VERIFY_TOKEN } from '../fields.ts'

export const facebook = {
  about: 'Messages to a Facebook page.',
  command: 'Connect a Facebook page for Messenger.',
  fields: {
    pageId: {
      type: 'text',
      in: 'settings',
      isAddress: true,
      label: 'Page ID',
      hint: 'On your page under About → Page transparency, or in your app’s Messenger settings.',
      value: 'ID',
      isUnique: true,
      inputMode: 'numeric',
    },
    accessToken: {
      type: 'text',
      in: 'secrets',
      label: 'Page access token',
      hint: 'At developers.facebook.com, in your app under Messenger → Settings → Generate access tokens.',
      value: 'TOKEN',
    },
    appSecret: APP_SECRET,
    verifyToken: VERIFY_TOKEN,
    name: NAME,
    apiUrl: apiUrl('Meta', 'accessToken'),
  },
  nameOf: (address) => `Page ${address}`,
  setup: {
    how: 'webhook',
    steps: [
      'At developers.facebook.com, open your app and go to Messenger → Settings → Webhooks.',
      'Enter the webhook address as the callback URL, and the verify token. Meta then verifies both.',
      'Add the page and subscribe to `messages`, `messaging_postbacks`, `message_deliveries`, `message_reads`, `message_reactions` and `message_echoes`.',
    ],
  },
  identityKinds: { facebook: 'none' },
  sharedWebhook: { nameField: 'pageId', secretField: 'appSecret' },
  /** https://developers.facebook.com/docs/messenger-platform/send-messages/quick-replies */
  choices: { buttons: { max: 13, titleMax: 20, textMax: 2_000 } },
  reactions: 'any',
  inbound: { receives: 'items', unnamed: 'Facebook user', redelivers: true },
} as const satisfies ChannelDefinition
