// The contract of a channel: how an outbound message reaches the customer. A channel knows its provider's protocol and
// nothing of our database; the server meets it only as ctx.channels.
import type { Readable } from 'node:stream'
import type { ParsedMail } from './email/mail.ts'
import type { Mailbox, MailboxOptions } from './email/mailbox.ts'
import type { SignedId } from './email/thread-ids.ts'
import type { Form } from './sms/signature.ts'
import type { SocialItem, SocialProfile } from './social/inbound.ts'
import type { ParsedUpdate } from './telegram/parse.ts'
import type { InboundItem } from './whatsapp/inbound.ts'
import type {
  DescribedTemplate,
  ListedTemplate,
  TemplateComponent,
  TemplateDefinition,
  TemplateProblem,
  TemplateValues,
} from './whatsapp/templates.ts'

export type * from './email/mail.ts'
export type { Mailbox, MailboxMail, MailboxOptions } from './email/mailbox.ts'
export type { SignedId } from './email/thread-ids.ts'
export type * from './social/inbound.ts'
export type * from './whatsapp/inbound.ts'
export type {
  DescribedTemplate,
  ListedTemplate,
  TemplateComponent,
  TemplateDefinition,
  TemplateProblem,
  TemplateValues,
} from './whatsapp/templates.ts'

export type ChannelAccount = {
  id: string
  address: string | null
  settings: Record<string, unknown>
  secrets: Record<string, string>
}

/** An approved template with its blanks filled, as it was accepted. */
export type OutboundTemplate = {
  name: string
  language: string
  components: readonly TemplateComponent[]
}

/** A file that goes out with a message. */
export type OutboundAttachment = {
  id: string
  type: 'image' | 'audio' | 'video' | 'file' | 'sticker'
  name: string
  mimeType: string
  size: number
  /** The content, from its first byte on; may be called again for another try. */
  open: () => Promise<Readable>
  /** Signed, good for an hour or two, for a provider that fetches files by itself. */
  url: string
}

export type OutboundMessage = {
  /** Ours. Email makes its Message-ID of it, so that a mail that is sent again is the same mail. */
  id: string
  /**
   * Ours, of this attempt to send it: goes along wherever the provider hands something of ours back. What is said later
   * of an attempt that has failed is so known from what is said of the next one.
   */
  attemptId: string
  conversationId: string
  body: string
  subject: string | null
  senderName: string
  /** Goes out in place of the body, which is how it reads. */
  template: OutboundTemplate | null
  /** Never more than the channel says it carries. The body may be empty where there are any. */
  attachments: readonly OutboundAttachment[]
  /** On email: the thread that it goes into. */
  email?: OutboundEmail | null
  /** The provider's id of the message that this one answers. */
  replyToExternalId?: string | null
  to: {
    contactId: string
    name: string
    email: string | null
    phone: string | null
    externalId: string | null
  }
  createdAt: string
}

/** What a mail carries beside its text. */
export type OutboundEmail = {
  /** Over our message's id: a part of the Message-ID, which proves an answer to it. */
  signature: string
  /** Stands behind a plus in the address that is answered to; null where the mailbox takes no such addresses. */
  reply: SignedId | null
  /** Whom the thread is with, where that is not simply the contact's address. */
  address: string | null
  /** Of the customer's latest mail. */
  subject: string | null
  /** Whether a mail came before it, be it one without an id that could be named. */
  isAnswer: boolean
  inReplyTo: string | null
  /** Oldest first. */
  references: string[]
  /** No person wrote it. */
  isAutomatic: boolean
}

/**
 * The provider took the message. externalId is its own id for it, recipient the names by which it knows whom it goes to,
 * where it tells them.
 */
export type Accepted = {
  externalId: string | null
  /** Other ids by which an answer may refer to it. */
  aliases?: string[]
  recipient?: { whatsappId: string | null; whatsappUserId: string | null }
}

/**
 * Why a message did not go out.
 *   retry    not accepted, may be tried again (too fast, down, connection refused)
 *   refused  a definite no: it will never go like this
 *   unknown  the request was written and no answer came: it may have gone out
 * And whom that concerns.
 *   message   this one only
 *   customer  who wants no such messages any more
 *   template  every message that is made of it
 *   account   everything that goes out from there would fare the same
 */
export class DeliveryError extends Error {
  readonly outcome: 'retry' | 'refused' | 'unknown'
  readonly concerns: 'message' | 'customer' | 'template' | 'account'
  readonly code: string
  readonly retryAfterMs: number | undefined

  constructor(
    outcome: 'retry' | 'refused' | 'unknown',
    code: string,
    message: string,
    options: { retryAfterMs?: number; concerns?: DeliveryError['concerns']; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause })
    this.name = 'DeliveryError'
    this.outcome = outcome
    this.concerns = options.concerns ?? 'message'
    this.code = code
    this.retryAfterMs = options.retryAfterMs
  }
}

/** What a channel carries beside the text of an outbound message. */
export type OutboundLimits = {
  /** Files of one message. */
  max: number
  /** Of each file. */
  bytesMax: number
  /** Why the channel would not take a message with these files, in plain words for who writes it; undefined: it takes it. */
  refuses?: (message: {
    body: string
    attachments: readonly Pick<OutboundAttachment, 'type' | 'name' | 'mimeType' | 'size'>[]
  }) => string | undefined
}

/** A file of the provider's. Whoever takes it reads `content` to its end or destroys it. */
export type FetchedMedia = { content: Readable; mimeType: string | null; name?: string | null }

export type MediaOptions = { timeoutMs: number; bytesMax: number; signal?: AbortSignal }

/** One thing that was tried, and in plain words what came of it; never a credential. */
export type ChannelCheck = { name: string; ok: boolean; message: string }

export type Channel = {
  /**
   * `stored`: the message has arrived once it is stored (web chat: the customer's page reads it from here).
   * `sent`: a job hands it to the provider.
   * `none`: the API does not send on this channel.
   */
  delivery: 'stored' | 'sent' | 'none'
  /** Hands one message to the provider within timeoutMs, or throws a DeliveryError. */
  send?: (account: ChannelAccount, message: OutboundMessage, options: SendOptions) => Promise<Accepted>
  /** Only people send on it, from the console; the API refuses to. */
  isClosedToApi?: true
  /** The longest text that it carries, where that is shorter than any message may be. */
  bodyMax?: number
  /** What goes out beside text; left out: nothing. */
  attachments?: OutboundLimits
  /**
   * The file that a pending attachment's `source` names, from the provider. It asks only addresses that it trusts to be
   * the provider's, and breaks the stream off beyond bytesMax and timeoutMs. Throws a DeliveryError, also through the
   * stream: `retry` where it may work later, `refused` where it never will. Asking again is harmless.
   */
  fetchMedia?: (
    account: ChannelAccount,
    source: Record<string, unknown>,
    options: MediaOptions,
  ) => Promise<FetchedMedia>
  /** Tries whether the account works, for whoever enters its credentials. Sends nothing to anybody; never throws. */
  check?: (account: ChannelAccount, options: { timeoutMs: number }) => Promise<ChannelCheck[]>
  /** What the provider tells of a customer beside their messages. Throws a DeliveryError. */
  fetchProfile?: (
    account: ChannelAccount,
    externalId: string,
    options: { timeoutMs: number },
  ) => Promise<SocialProfile>
  /**
   * Shows the customer that the message and those before it were read. Throws a DeliveryError; doing so again is harmless.
   */
  markRead?: (account: ChannelAccount, externalId: string, options: { timeoutMs: number }) => Promise<void>
  /** Closes what is kept open between sends. Sending opens it again. */
  close?: () => void
  /** Whether sending the same message twice reaches the customer once (email: the same Message-ID). */
  isResendHarmless: boolean
  /** After the customer's last message, plain messages are taken for so long; refusalCode says that it was too late. */
  replyWindow?: ReplyWindow
}

export type SendOptions = {
  timeoutMs: number
  /** Where the account's provider reaches us. */
  webhookUrl: string
}

export type ReplyWindow = {
  hours: number
  refusalCode: string
  /** What we answer then. */
  errorCode: 'WHATSAPP_SERVICE_WINDOW_CLOSED' | 'REPLY_WINDOW_CLOSED'
}

/** How Meta proves its webhooks. */
type MetaWebhooks = {
  isSigned: (rawBody: Uint8Array, header: string | undefined, secrets: readonly string[]) => boolean
  answerHandshake: (query: Record<string, unknown>, verifyToken: string) => string | undefined
}

export type FacebookChannel = Channel & MetaWebhooks & { parseWebhook: (body: string) => SocialItem[] }

export type TelegramChannel = Channel & {
  /** Whether the header is the secret that the webhook was set with. */
  isAuthentic: (header: string | undefined, secret: string) => boolean
  parseUpdate: (body: string) => ParsedUpdate
  /** Has the bot's updates sent to the address. Throws a DeliveryError. */
  registerWebhook: (account: ChannelAccount, url: string, options: { timeoutMs: number }) => Promise<void>
}

export type SmsChannel = Channel & {
  /** The fields of a form; undefined where there are absurdly many. */
  readForm: (body: string) => Form | undefined
  /** `url` is the public address, as it is configured at the provider. */
  isSigned: (
    authToken: string,
    request: { url: string; form: Form; signature: string | undefined },
  ) => boolean
  parseMessage: (form: Form, accountSid: string) => SocialItem
  parseStatus: (form: Form, accountSid: string, attemptId: string | null) => SocialItem[]
}

/** What email has beyond: mail to read, ids that prove where an answer belongs, a mailbox to open. */
export type EmailChannel = Channel & {
  /** Never throws; bounded in time and memory whatever the bytes are. */
  parseMail: (raw: Buffer) => Promise<ParsedMail>
  /** Our own message's id in a Message-ID of our making. Whether its signature is good, the server knows. */
  readMessageId: (messageId: string) => SignedId | undefined
  /** The conversation that an address of the mailbox names behind its plus, likewise. */
  readReplyAddress: (address: string, mailbox: string) => SignedId | undefined
  /** What X-Loop holds in mail that a program of ours sent for the account. */
  loopMark: (accountId: string) => string
  /** Signs in and opens the folder. Throws a DeliveryError: `refused` where the settings have to be mended. */
  openMailbox: (account: ChannelAccount, options: MailboxOptions) => Promise<Mailbox>
}

/** What WhatsApp has beyond what every channel has: webhooks, templates, people with several names. */
export type WhatsappChannel = Channel &
  MetaWebhooks & {
    parseWebhook: (body: string) => InboundItem[]
    phoneVariants: (phone: string) => string[]
    isUserId: (text: string) => boolean
    /** Every template of the account, in every state. Throws a DeliveryError. */
    listTemplates: (account: ChannelAccount, options: { timeoutMs: number }) => Promise<TemplateDefinition[]>
    /** The provider's code for a customer who has stopped marketing messages. */
    optedOutCode: string
    isSendable: (definition: TemplateDefinition) => boolean
    listedTemplate: (definition: TemplateDefinition) => ListedTemplate
    describeTemplate: (definition: TemplateDefinition) => DescribedTemplate
    validateParameters: (definition: TemplateDefinition, values: TemplateValues) => TemplateProblem[]
    buildComponents: (definition: TemplateDefinition, values: TemplateValues) => TemplateComponent[]
    renderBody: (definition: TemplateDefinition, parameters: readonly string[]) => string
  }

export type Channels = Record<'web', Channel> & {
  email: EmailChannel
  whatsapp: WhatsappChannel
  facebook: FacebookChannel
  telegram: TelegramChannel
  sms: SmsChannel
}
