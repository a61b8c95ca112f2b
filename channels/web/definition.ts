import type { ChannelDefinition } from '../definition.ts'
import { NAME_OF_SITE } from '../fields.ts'

export const web = {
  about: 'A chat box on your website.',
  command: 'Connect a website. Without --allowed-origin, any site is allowed.',
  fields: {
    name: NAME_OF_SITE,
    allowedOrigins: {
      type: 'origins',
      in: 'settings',
      label: 'Allowed sites (optional)',
      hint: 'One per line, without a path, e.g. https://www.example.com. Leave empty to allow any site.',
      value: 'URL',
      isOptional: true,
      default: [],
      singular: 'allowedOrigin',
    },
  },
  nameOf: () => 'Web chat',
  setup: { how: 'script' },
  identityKinds: {},
  /** As many as a question has, and of any length: a panel breaks lines. */
  choices: { buttons: { max: 31, titleMax: 200, textMax: Number.POSITIVE_INFINITY, hasDescriptions: true } },
  reactions: 'any',
  inbound: { receives: 'visitors' },
} as const satisfies ChannelDefinition
