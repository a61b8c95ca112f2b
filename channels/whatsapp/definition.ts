import type { ChannelDefinition } from '../definition.ts'
import { APP_SECRET, apiUrl, LINK_PREVIEWS, NAME, PHONE_NUMBER, VERIFY_TOKEN } from '../fields.ts'

export const whatsapp = {
  about: 'A WhatsApp Business Platform number from Meta.',
  command: 'Connect a WhatsApp number.',
  fields: {
    phoneNumber: PHONE_NUMBER,
    phoneNumberId: {
      type: 'text',
      in: 'settings',
      label: 'Phone number ID',
      hint: 'At developers.facebook.com, in your app under WhatsApp → API Setup, below the number. It’s not the phone number itself.',
      value: 'ID',
      isUnique: true,
      inputMode: 'numeric',
    },
    businessAccountId: {
      type: 'text',
      in: 'settings',
      label: 'WhatsApp Business Account ID',
      hint: 'On the same page, next to the phone number ID.',
      value: 'ID',
      inputMode: 'numeric',
    },
    accessToken: {
      type: 'text',
      in: 'secrets',
      label: 'Access token',
      hint: 'At business.facebook.com under Settings → System users, generate one with whatsapp_business_messaging and whatsapp_business_management. The one on the API Setup page expires after a day.',
      value: 'TOKEN',
    },
    appSecret: APP_SECRET,
    verifyToken: VERIFY_TOKEN,
    messagesPerSecond: {
      // Meta's highest throughput for one number; the default is what every number has.
      type: 'integer',
      min: 1,
      max: 1000,
      in: 'settings',
      label: 'Messages per second (optional)',
      hint: 'Maximum broadcast speed, from 1 to 1000. Meta’s default limit is 80.',
      value: 'NUMBER',
      isOptional: true,
      default: 80,
      inputMode: 'numeric',
      placeholder: '80',
    },
    linkPreviews: LINK_PREVIEWS,
    name: NAME,
    apiUrl: apiUrl('Meta', 'accessToken'),
  },
  nameOf: (address) => address,
  setup: {
    how: 'webhook',
    steps: [
      'At developers.facebook.com, open your app, go to WhatsApp → Configuration and click Edit next to the webhook.',
      'Enter the webhook address as the callback URL, and the verify token. Meta then verifies both.',
      'Under webhook fields, subscribe to `messages` and `message_template_status_update` (shows templates as soon as they’re approved).',
    ],
  },
  identityKinds: { whatsapp_id: 'digits', whatsapp_user_id: 'none' },
  sharedWebhook: { nameField: 'phoneNumberId', secretField: 'appSecret' },
  /** https://developers.facebook.com/docs/whatsapp/cloud-api/messages/interactive-list-messages */
  choices: {
    buttons: { max: 3, titleMax: 20, textMax: 1_024 },
    list: { rowsMax: 10, titleMax: 24, descriptionMax: 72, labelMax: 20, textMax: 4_096 },
    hasUniqueTitles: true,
  },
  reactions: 'any',
  inbound: { receives: 'items', unnamed: null, redelivers: true },
} as const satisfies ChannelDefinition
