import type { ChannelDefinition } from '../definition.ts'
import { apiUrl, NAME, PHONE_NUMBER } from '../fields.ts'

export const sms = {
  about: 'A Twilio phone number.',
  command: 'Connect a Twilio number for SMS.',
  fields: {
    phoneNumber: PHONE_NUMBER,
    accountSid: {
      type: 'text',
      in: 'settings',
      label: 'Account SID',
      hint: 'On the home page of the Twilio Console. Starts with AC.',
      value: 'SID',
    },
    authToken: {
      type: 'text',
      in: 'secrets',
      label: 'Auth token',
      hint: 'Below the Account SID. Also used to verify webhook signatures.',
      value: 'TOKEN',
    },
    name: NAME,
    apiUrl: apiUrl('Twilio', 'authToken'),
  },
  nameOf: (address) => address,
  setup: {
    how: 'webhook',
    steps: [
      'In the Twilio Console, go to Phone Numbers → Manage → Active numbers and select the number.',
      'Under Messaging, for “A message comes in”, select Webhook, enter the address and select HTTP POST.',
    ],
  },
  identityKinds: { sms: 'e164' },
  sharedWebhook: { nameField: 'phoneNumber', secretField: 'authToken' },
  // Twilio delivers once, so a rejected SMS would be lost.
  // https://www.twilio.com/docs/usage/webhooks/webhooks-connection-overrides
  choices: null,
  reactions: [],
  inbound: { receives: 'items', unnamed: null, redelivers: false },
} as const satisfies ChannelDefinition
