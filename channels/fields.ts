// Fields shared by several channels.

const nameField = (hint: string) =>
  ({
    type: 'text',
    in: 'name',
    label: 'Name (optional)',
    hint,
    value: 'NAME',
    isOptional: true,
  }) as const

export const NAME = nameField('Shown to members. Defaults to the number, address or page.')
export const NAME_OF_SITE = nameField('Shown to members, e.g. the name of the site.')
export const NAME_OF_BOT = nameField('Shown to members, e.g. the bot’s name.')

export const apiUrl = (provider: string, ...sendsSecrets: string[]) =>
  ({
    type: 'apiUrl',
    in: 'settings',
    label: 'API address',
    hint: 'Starts with https:// or http://. If you change the host, enter the secrets again.',
    value: 'URL',
    isOptional: true,
    default: null,
    sendsSecrets,
    inputMode: 'url',
    part: {
      title: 'Custom API address',
      about: `For testing against a sandbox. Leave empty to use ${provider}’s own.`,
    },
  }) as const

export const PHONE_NUMBER = {
  type: 'phone',
  in: 'address',
  label: 'Phone number',
  hint: 'With country code, e.g. +14155550123.',
  value: '+NUMBER',
  isUnique: true,
  inputMode: 'tel',
} as const

/** For Meta's apps. */
export const APP_SECRET = {
  type: 'text',
  in: 'secrets',
  label: 'App secret',
  hint: 'In your app under App settings → Basic. Used to verify webhook signatures.',
  value: 'SECRET',
} as const

/** For Meta's webhooks. */
export const VERIFY_TOKEN = {
  type: 'text',
  in: 'secrets',
  label: 'Verify token',
  hint: 'Any random string. Enter the same one at Meta, along with the webhook address.',
  value: 'TOKEN',
  isOwn: true,
} as const

/** Of links in texts, shown to the customer by their app. */
export const LINK_PREVIEWS = {
  type: 'flag',
  unset: 'No',
  in: 'settings',
  label: 'Show link previews?',
  hint: 'Customers see a preview of the first link in a message.',
  value: 'true|false',
  isOptional: true,
} as const
