// The server's view of the channels: the contract, each channel's additions to it, and the types of inbound items. A
// channel implements its provider's protocol and has no access to our database; the server uses it through
// ctx.channels.

import type { Channel } from './contract/channel.ts'
import type { InboundItem } from './contract/inbound.ts'
import type { EmailChannel } from './email/channel.ts'
import type { FacebookChannel } from './facebook/channel.ts'
import type { ChannelName } from './names.ts'
import type { SmsChannel } from './sms/channel.ts'
import type { TelegramChannel } from './telegram/channel.ts'
import type { WhatsappChannel } from './whatsapp/channel.ts'

export * from './choices.ts'
export * from './contract/channel.ts'
export type * from './contract/inbound.ts'
export type { SenderVerification } from './email/authentication.ts'
export type * from './email/mail.ts'
export type { Mailbox, MailboxMail, MailboxOptions } from './email/mailbox.ts'
export { MAIL_PROVIDERS, type MailProviderName } from './email/oauth-presets.ts'
/** Not about a channel: actions of flows and sign-in by OpenID Connect use them too. */
export { type GuardedFetch, makeGuardedFetch } from './protocol/guarded-fetch.ts'
export * from './protocol/guarded-request.ts'
export type { OutboundRule } from './protocol/outbound.ts'
export { AddressNotAllowed, checkAddress, isPrivateHost } from './protocol/outbound.ts'
export { isObject, readJson } from './protocol/read-json.ts'
export { retryAfterMsOf } from './protocol/retry-after.ts'
/** About numbers rather than accounts, so it works without a WhatsApp account. */
export { phoneVariants } from './whatsapp/phone-variants.ts'
export type { HeaderValues, TemplateProblem } from './whatsapp/template-header.ts'
export type {
  DescribedTemplate,
  ListedTemplate,
  TemplateDefinition,
  TemplateValues,
} from './whatsapp/templates.ts'

/** A channel without a contract of its own: its webhooks contain items and are signed with a secret. */
export type SignedChannel = Channel & {
  isSigned: (rawBody: Uint8Array, header: string | undefined, secrets: readonly string[]) => boolean
  parseWebhook: (body: string) => InboundItem[]
}

type Contracts = {
  web: Channel
  whatsapp: WhatsappChannel
  facebook: FacebookChannel
  telegram: TelegramChannel
  sms: SmsChannel
  email: EmailChannel
}

export type Channels = {
  [C in ChannelName]: C extends keyof Contracts ? Contracts[C] : SignedChannel
}
