import type { ChannelDefinition } from '../definition.ts'
import { NAME } from '../fields.ts'

/** With a refresh token, passwords in the server URLs are ignored. */
const OAUTH = {
  in: 'secrets',
  group: 'oauth',
  part: {
    title: 'Sign in with OAuth',
    about:
      'Microsoft 365 and Google require OAuth 2 instead of a password. Register an application there, sign in once as the mailbox and enter the values here. The addresses above then need a user name but no password.',
  },
} as const

export const email = {
  about: 'A mailbox. Replies are sent from its address.',
  command: 'Connect a mailbox.',
  fields: {
    address: {
      type: 'email',
      in: 'address',
      label: 'Email address',
      hint: 'Customers write to it, and replies are sent from it.',
      value: 'EMAIL',
      isUnique: true,
      inputMode: 'email',
    },
    // The URLs of mail servers contain passwords, so they are secret as a whole.
    smtpUrl: {
      type: 'mailServer',
      protocols: ['smtp:', 'smtps:'],
      in: 'secrets',
      label: 'Outgoing mail (SMTP)',
      hint: 'smtps://user:password@mail.example.com:465, or smtp:// with port 587. In user names and passwords, write @ as %40, : as %3A and / as %2F.',
      value: 'URL',
      sendsSecrets: ['oauthRefreshToken'],
      placeholder: 'smtps://…',
    },
    imapUrl: {
      type: 'mailServer',
      protocols: ['imap:', 'imaps:'],
      in: 'secrets',
      label: 'Incoming mail (IMAP, optional)',
      hint: 'imaps://user:password@mail.example.com:993. New mail is read from the inbox and left unchanged there.',
      value: 'URL',
      isOptional: true,
      sendsSecrets: ['oauthRefreshToken'],
      placeholder: 'imaps://…',
    },
    inboundSecret: {
      type: 'text',
      in: 'secrets',
      label: 'Inbound secret (optional)',
      hint: 'Instead of IMAP, your mail server can POST each email to the webhook address with this secret.',
      value: 'SECRET',
      isOptional: true,
      isOwn: true,
    },
    name: NAME,
    oauthTokenUrl: {
      ...OAUTH,
      type: 'url',
      label: 'Token URL',
      hint: 'Google: https://oauth2.googleapis.com/token. Microsoft: https://login.microsoftonline.com/<tenant>/oauth2/v2.0/token.',
      value: 'URL',
      sendsSecrets: ['oauthRefreshToken', 'oauthClientSecret'],
      placeholder: 'https://…',
    },
    oauthClientId: {
      ...OAUTH,
      type: 'text',
      label: 'Client ID',
      hint: 'From the application you registered.',
      value: 'ID',
    },
    oauthClientSecret: {
      ...OAUTH,
      type: 'text',
      label: 'Client secret (optional)',
      hint: 'Public applications don’t have one.',
      value: 'SECRET',
      isOptional: true,
    },
    oauthRefreshToken: {
      ...OAUTH,
      type: 'text',
      label: 'Refresh token',
      hint: 'From signing in as the mailbox. Foyer exchanges it for short-lived access tokens.',
      value: 'TOKEN',
    },
    authservId: {
      type: 'hostName',
      in: 'settings',
      label: 'Mail server name in Authentication-Results',
      hint: 'The first word of that header in any email you received. Not needed for Google, Microsoft 365, Yahoo, Fastmail, GMX, WEB.DE, Zoho and Yandex over IMAP.',
      value: 'HOST',
      isOptional: true,
      placeholder: 'e.g. mx.example.com',
      part: { title: 'Sender verification' },
    },
    plusAddressing: {
      type: 'flag',
      unset: 'Not sure',
      in: 'settings',
      label: 'Does mail to name+anything@ reach this mailbox?',
      hint: 'If so, replies are matched to their conversation even when mail programs drop the usual headers.',
      value: 'true|false',
      isOptional: true,
      part: { title: 'Plus addressing' },
    },
  },
  nameOf: (address) => address,
  setup: { how: 'mailbox' },
  identityKinds: {},
  choices: null,
  reactions: [],
  inbound: { receives: 'mail' },
} as const satisfies ChannelDefinition
