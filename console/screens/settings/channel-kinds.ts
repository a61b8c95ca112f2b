// What each kind of channel asks for, and where the person finds it. The names are those of the server's fields.
import type { Channel } from '../../state/types.ts'

export type ChannelField = {
  name: string
  label: string
  hint: string
  /** Secrets go in and never come out; `lines` is a list, one entry a line. */
  kind: 'text' | 'secret' | 'lines' | 'choice'
  isOptional?: boolean
  /** A secret that we choose and tell the other side. */
  isOwn?: boolean
  inputMode?: 'tel' | 'email' | 'url' | 'numeric'
  placeholder?: string
  choices?: { value: string; label: string }[]
}

export type ChannelKind = {
  about: string
  fields: ChannelField[]
  /** What only few need, folded away. */
  parts: { title: string; about?: string; fields: ChannelField[] }[]
}

const NAME: ChannelField = {
  name: 'name',
  label: 'Name (optional)',
  hint: 'What members see. The number, address or page when left out.',
  kind: 'text',
  isOptional: true,
}

const apiUrl = (provider: string): ChannelKind['parts'][number] => ({
  title: 'Another address of the provider',
  about: `For a test against a sandbox. Left empty, it is ${provider}’s own.`,
  fields: [
    {
      name: 'apiUrl',
      label: 'API address',
      hint: 'Begins with https:// or http://.',
      kind: 'text',
      isOptional: true,
      inputMode: 'url',
    },
  ],
})

const verifyToken: ChannelField = {
  name: 'verifyToken',
  label: 'Verify token',
  hint: 'A text that you make up. You enter the same at Meta, together with the webhook address.',
  kind: 'secret',
  isOwn: true,
}

export const CHANNEL_KINDS: Record<Channel, ChannelKind> = {
  web: {
    about: 'A chat box on your site.',
    fields: [
      { ...NAME, hint: 'What members see: the site, for example.' },
      {
        name: 'allowedOrigins',
        label: 'Sites it may be on (optional)',
        hint: 'One a line, such as https://www.example.com, without a path. With none, it answers on every site.',
        kind: 'lines',
        isOptional: true,
      },
    ],
    parts: [],
  },
  whatsapp: {
    about: 'A number of the WhatsApp Business Platform, run by Meta.',
    fields: [
      {
        name: 'phoneNumber',
        label: 'Phone number',
        hint: 'With the country code, such as +14155550123.',
        kind: 'text',
        inputMode: 'tel',
      },
      {
        name: 'phoneNumberId',
        label: 'Phone number ID',
        hint: 'At developers.facebook.com, in your app under WhatsApp → API Setup, below the number. It is not the number itself.',
        kind: 'text',
        inputMode: 'numeric',
      },
      {
        name: 'businessAccountId',
        label: 'WhatsApp Business Account ID',
        hint: 'On the same page, beside the phone number ID.',
        kind: 'text',
        inputMode: 'numeric',
      },
      {
        name: 'accessToken',
        label: 'Access token',
        hint: 'At business.facebook.com under Settings → System users: generate one with whatsapp_business_messaging and whatsapp_business_management. The one on the API Setup page ends after a day.',
        kind: 'secret',
      },
      {
        name: 'appSecret',
        label: 'App secret',
        hint: 'In your app under App settings → Basic. It proves that what arrives comes from Meta.',
        kind: 'secret',
      },
      verifyToken,
      {
        name: 'messagesPerSecond',
        label: 'Messages per second (optional)',
        hint: 'How fast broadcasts go out, from 1 to 1000. Meta gives every number 80 at first.',
        kind: 'text',
        isOptional: true,
        inputMode: 'numeric',
        placeholder: '80',
      },
      NAME,
    ],
    parts: [apiUrl('Meta')],
  },
  email: {
    about: 'A mailbox: mail comes in, and answers go out from its address.',
    fields: [
      {
        name: 'address',
        label: 'Email address',
        hint: 'Customers write to it, and answers come from it.',
        kind: 'text',
        inputMode: 'email',
      },
      {
        name: 'smtpUrl',
        label: 'Outgoing mail (SMTP)',
        hint: 'smtps://user:password@mail.example.com:465, or smtp:// with port 587. Write @ in a user name or password as %40, : as %3A and / as %2F.',
        kind: 'secret',
        placeholder: 'smtps://…',
      },
      {
        name: 'imapUrl',
        label: 'Incoming mail (IMAP, optional)',
        hint: 'imaps://user:password@mail.example.com:993. New mail is taken in from the inbox, where it stays as it is.',
        kind: 'secret',
        isOptional: true,
        placeholder: 'imaps://…',
      },
      {
        name: 'inboundSecret',
        label: 'Inbound secret (optional)',
        hint: 'In place of IMAP: your mail server posts each mail to the webhook address, with this secret.',
        kind: 'secret',
        isOptional: true,
        isOwn: true,
      },
      NAME,
    ],
    parts: [
      {
        title: 'This mailbox takes no password',
        about:
          'Microsoft 365 and Google want OAuth 2 instead. Register an application there, sign in once as the mailbox, and enter what you get; the addresses above then need a user name and no password.',
        fields: [
          {
            name: 'oauthTokenUrl',
            label: 'Token address',
            hint: 'Google: https://oauth2.googleapis.com/token. Microsoft: https://login.microsoftonline.com/<tenant>/oauth2/v2.0/token.',
            kind: 'secret',
            isOptional: true,
            placeholder: 'https://…',
          },
          {
            name: 'oauthClientId',
            label: 'Client ID',
            hint: 'Of the application that you registered.',
            kind: 'secret',
            isOptional: true,
          },
          {
            name: 'oauthClientSecret',
            label: 'Client secret (optional)',
            hint: 'Public applications have none.',
            kind: 'secret',
            isOptional: true,
          },
          {
            name: 'oauthRefreshToken',
            label: 'Refresh token',
            hint: 'What the sign-in as the mailbox gave. It is exchanged for short-lived ones.',
            kind: 'secret',
            isOptional: true,
          },
        ],
      },
      {
        title: 'Addresses with a plus',
        fields: [
          {
            name: 'plusAddressing',
            label: 'Does mail to name+anything@ arrive in this mailbox?',
            hint: 'Then an answer finds its conversation even when a mail program drops everything else.',
            kind: 'choice',
            isOptional: true,
            choices: [
              { value: '', label: 'Not known' },
              { value: 'true', label: 'Yes, it arrives' },
              { value: 'false', label: 'No, it is lost' },
            ],
          },
        ],
      },
    ],
  },
  telegram: {
    about: 'A Telegram bot.',
    fields: [
      {
        name: 'botToken',
        label: 'Bot token',
        hint: 'From @BotFather in Telegram: /newbot, or /mybots → the bot → API Token. It looks like 123456789:AAF….',
        kind: 'secret',
      },
      {
        name: 'webhookSecret',
        label: 'Webhook secret',
        hint: 'Letters, digits, _ and - that you make up. Telegram sends it along, so that we know it is Telegram.',
        kind: 'secret',
        isOwn: true,
      },
      { ...NAME, hint: 'What members see: the bot’s name, for example.' },
    ],
    parts: [apiUrl('Telegram')],
  },
  facebook: {
    about: 'The messages to a Facebook page.',
    fields: [
      {
        name: 'pageId',
        label: 'Page ID',
        hint: 'On the page under About → Page transparency, or in your app’s Messenger settings.',
        kind: 'text',
        inputMode: 'numeric',
      },
      {
        name: 'accessToken',
        label: 'Page access token',
        hint: 'At developers.facebook.com, in your app under Messenger → Settings → Generate access tokens.',
        kind: 'secret',
      },
      {
        name: 'appSecret',
        label: 'App secret',
        hint: 'In your app under App settings → Basic. It proves that what arrives comes from Meta.',
        kind: 'secret',
      },
      verifyToken,
      NAME,
    ],
    parts: [apiUrl('Meta')],
  },
  sms: {
    about: 'A phone number at Twilio.',
    fields: [
      {
        name: 'phoneNumber',
        label: 'Phone number',
        hint: 'With the country code, such as +14155550123.',
        kind: 'text',
        inputMode: 'tel',
      },
      {
        name: 'accountSid',
        label: 'Account SID',
        hint: 'On the first page of the Twilio Console. It begins with AC.',
        kind: 'text',
      },
      {
        name: 'authToken',
        label: 'Auth token',
        hint: 'Below the Account SID. It also proves that what arrives comes from Twilio.',
        kind: 'secret',
      },
      NAME,
    ],
    parts: [apiUrl('Twilio')],
  },
}

/** In the order in which they are offered. */
export const CHANNELS_OFFERED: Channel[] = ['web', 'whatsapp', 'email', 'telegram', 'facebook', 'sms']

export const fieldsOf = (channel: Channel): ChannelField[] => {
  const { fields, parts } = CHANNEL_KINDS[channel]
  return [...fields, ...parts.flatMap((part) => part.fields)]
}

type Values = Record<string, string>
type Changes = Record<string, string | string[] | null>

const linesOf = (text: string): string[] =>
  text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** What to send of what stands in the form. A secret that is kept is not in the form, and not sent. */
export const changesOf = (channel: Channel, values: Values, { isNew }: { isNew: boolean }): Changes => {
  const changes: Changes = {}
  for (const { name, kind, isOptional } of fieldsOf(channel)) {
    if (values[`${name}:remove`]) changes[name] = null
    const value = values[name]?.trim()
    if (value === undefined) continue
    if (kind === 'lines') changes[name] = linesOf(value)
    else if (value !== '' || !isOptional) changes[name] = value
    // An optional secret that was to be replaced, and was not entered, is kept.
    else if (!isNew && kind !== 'secret') changes[name] = null
  }
  return changes
}
