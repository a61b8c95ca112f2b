// The contract of a channel: how an outbound message reaches the customer, and how a failure says what to do next.
import type { Readable } from 'node:stream'

export type TemplateComponent = Record<string, unknown> & { type: 'header' | 'body' | 'button' }

/** What the provider knows about a person besides their messages. */
export type CustomerProfile = {
  name: string | null
  username: string | null
  /** What fetchMedia needs to get the image, and a key that changes with it. */
  avatar: { source: Record<string, unknown>; key: string } | null
}

export type ChannelAccount = {
  id: string
  address: string | null
  settings: Record<string, unknown>
  secrets: Record<string, string>
}

/** An approved template with its variables filled in, as accepted. */
export type OutboundTemplate = {
  name: string
  language: string
  components: readonly TemplateComponent[]
  /** A file in its header, which is an attachment of the message. */
  file?: TemplateFile
}

export type TemplateFile = {
  type: 'image' | 'video' | 'document'
  fileName: string
  /** The provider's id, of KeptFiles; added before the send. */
  externalId?: string
}

/** Files that the provider keeps for a while, to be named in many sends. */
export type KeptFiles = {
  /** What an id is valid for: one of another owner is unknown there. */
  ownerOf: (account: ChannelAccount) => string
  keptMs: number
  /** Uploads a file and returns the provider's id. Throws a DeliveryError; repeating it is harmless. */
  keep: (
    account: ChannelAccount,
    file: Pick<OutboundAttachment, 'name' | 'mimeType' | 'size' | 'open'>,
    options: { timeoutMs: number },
  ) => Promise<string>
  /** A send may have failed because the provider no longer has the file. */
  isGone: (error: DeliveryError) => boolean
}

/** A file sent with a message. */
export type OutboundAttachment = {
  id: string
  type: 'image' | 'audio' | 'video' | 'file' | 'sticker'
  name: string
  mimeType: string
  size: number
  /** The content from its first byte; may be called again for a retry. */
  open: () => Promise<Readable>
  /** Signed, valid for an hour or two, for providers that download files themselves. */
  url: string
}

export type OutboundMessage = {
  /** Ours. Email derives its Message-ID from it, so that a resent email is the same email. */
  id: string
  /**
   * Our id for this attempt, included if the provider returns custom data. It distinguishes reports about a failed
   * attempt from those about the next one.
   */
  attemptId: string
  conversationId: string
  body: string
  subject: string | null
  senderName: string
  /** Sent in place of the body, which holds its rendered text. */
  template: OutboundTemplate | null
  /** Never more than the channel allows. With attachments, the body may be empty. */
  attachments: readonly OutboundAttachment[]
  /** Email: the thread it belongs to. */
  email?: OutboundEmail | null
  /** The provider's id of the message being replied to. */
  replyToExternalId?: string | null
  /** Sent with `text` where they fit the limits in the channel's definition (layChoices); otherwise `body` has them. */
  choices?: OutboundChoices | null
  to: {
    contactId: string
    name: string
    email: string | null
    phone: string | null
    externalId: string | null
  }
  createdAt: string
}

/** There is at most one of ours on a message: this one replaces it. */
export type OutboundReaction = {
  /** Ours, returned in reports if the provider returns custom data. */
  attemptId: string
  /** The provider's id of the message. */
  messageExternalId: string
  /** One of those in the channel's definition; null takes it away. */
  emoji: string | null
  to: Pick<OutboundMessage['to'], 'phone' | 'externalId'>
}

/** The options of a question. Ids are at most 64 ASCII characters and come back with the customer's tap. */
export type OutboundChoices = {
  /** The question, without its options. */
  text: string
  /** Of the button that opens a list. */
  label: string
  options: readonly { id: string; title: string; description?: string }[]
  /** The row that leads to the next options. `idFrom`: its id if the option of that index comes next. */
  more: { title: string; idFrom: (index: number) => string }
}

/** An email's data besides its text. */
export type OutboundEmail = {
  /** Of our message's id. Part of the Message-ID, so that a reply to it can be verified. */
  signature: string
  /** Of the thread as a whole, among the references: some mail servers replace Message-IDs. */
  thread?: SignedId
  /** Where one click stops such emails (RFC 8058). */
  unsubscribeUrl?: string
  /** Follows the plus in the reply address; null if the mailbox doesn't support plus addresses. */
  reply: SignedId | null
  /** The other party of the thread, if it isn't the contact's address. */
  address: string | null
  /** From the customer's latest email. */
  subject: string | null
  /** Whether it replies to an email, even to one without a usable id. */
  isAnswer: boolean
  inReplyTo: string | null
  /** Oldest first. */
  references: string[]
  /** Not written by a person. */
  isAutomatic: boolean
  /** What its author decided, if it was a person; otherwise it goes to the other party of the thread, as plain text. */
  written?: WrittenEmail | null
}

export type WrittenEmail = {
  to: readonly OutboundRecipient[]
  cc: readonly OutboundRecipient[]
  bcc: readonly OutboundRecipient[]
  /** The addresses among them that it has not reached yet; null: nobody has it. */
  onlyTo: readonly string[] | null
  /** Whole, e.g. "Re: …"; null: derived from the thread's. */
  subject: string | null
  /** With what it quotes; null: the body is all of it. */
  text: string | null
  /** Of formatted mail, as stored. */
  html: string | null
  /** Images that the HTML shows from earlier messages. */
  inline: readonly OutboundAttachment[]
}

export type OutboundRecipient = { name: string; address: string }

/** A recipient whom the server refused while it accepted others. */
export type RejectedRecipient = { address: string; code: string; message: string }

/** The provider accepted the message. `recipient` has its ids for the recipient, if it returns them. */
export type Accepted = {
  externalId: string | null
  /** Other ids that a reply may refer to. */
  aliases?: string[]
  recipient?: { whatsappId: string | null; whatsappUserId: string | null }
  /** Of several recipients, those that were refused. */
  rejected?: RejectedRecipient[]
}

/** The code if a mail server defers a sign-in without refusing it. */
export const SIGN_IN_PUT_OFF = 'SIGN_IN_PUT_OFF'

/**
 * Why a message was not sent.
 *   retry    not accepted, but may be retried (rate limit, outage, connection refused)
 *   refused  rejected: retrying without a change is pointless
 *   unknown  the request was written but got no response: the message may have been sent
 * And what it affects.
 *   message   this message only
 *   customer  all messages of this kind to the customer, who opted out or blocked us
 *   template  all messages with this template
 *   account   all messages from this account
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

/** What a channel supports besides the text of an outbound message. */
export type OutboundLimits = {
  /** Per message. */
  max: number
  /** Per file. */
  bytesMax: number
  /** Why the channel can't send these files with this text, as shown to the author; undefined if it can. */
  refuses?: (message: {
    body: string
    attachments: readonly Pick<OutboundAttachment, 'type' | 'name' | 'mimeType' | 'size'>[]
  }) => string | undefined
}

/** A file from the provider. The caller must read `content` to its end or destroy it. */
export type FetchedMedia = { content: Readable; mimeType: string | null; name?: string | null }

export type MediaOptions = { timeoutMs: number; bytesMax: number; signal?: AbortSignal }

/** One check and its result in plain words; never includes credentials. */
export type ChannelCheck = {
  name: string
  ok: boolean
  message: string
  /** Other than sending: `setup` can only succeed once the channel was added, because the provider has to know its address. */
  about?: 'receiving' | 'setup'
}

export type Channel = {
  /**
   * `stored`: the message has arrived once it is stored (web chat: the customer's page reads it from here).
   * `sent`: a job sends it to the provider.
   * `none`: the API does not send on this channel.
   */
  delivery: 'stored' | 'sent' | 'none'
  /** Sends one message to the provider within timeoutMs, or throws a DeliveryError. */
  send?: (account: ChannelAccount, message: OutboundMessage, options: SendOptions) => Promise<Accepted>
  /** Only people can send on it, from the console; the API refuses to. */
  isClosedToApi?: true
  /** The maximum text length of a message in characters. */
  bodyMax?: number
  /** Supported attachments; if omitted, none. */
  attachments?: OutboundLimits
  /** For templates with a file in their header. */
  keptFiles?: KeptFiles
  /**
   * Downloads the file of a pending attachment from the provider, given its `source`. Only contacts hosts that belong
   * to the provider, and ends the stream beyond bytesMax and timeoutMs. Throws a DeliveryError, also through the
   * stream: `retry` if it may work later, otherwise `refused`. Repeating it is harmless.
   */
  fetchMedia?: (
    account: ChannelAccount,
    source: Record<string, unknown>,
    options: MediaOptions,
  ) => Promise<FetchedMedia>
  /** Tests the account's credentials. Sends no messages; never throws. */
  check?: (account: ChannelAccount, options: { timeoutMs: number }) => Promise<ChannelCheck[]>
  /** Sets the business's reaction to a customer's message. Throws a DeliveryError; repeating it is harmless. */
  react?: (
    account: ChannelAccount,
    reaction: OutboundReaction,
    options: { timeoutMs: number },
  ) => Promise<void>
  /** What the provider knows about a customer besides their messages. Throws a DeliveryError. */
  fetchProfile?: (
    account: ChannelAccount,
    externalId: string,
    options: { timeoutMs: number },
  ) => Promise<CustomerProfile>
  /** Marks the message and earlier ones as read for the customer. Throws a DeliveryError; repeating it is harmless. */
  markRead?: (account: ChannelAccount, externalId: string, options: { timeoutMs: number }) => Promise<void>
  /** Shows the customer that a reply is being written. */
  typing?: Typing
  /** Registers the webhook URL, for providers where it isn't entered by hand. Throws a DeliveryError. */
  registerWebhook?: (account: ChannelAccount, url: string, options: { timeoutMs: number }) => Promise<void>
  /** Ends what registerWebhook began. Throws a DeliveryError; repeating it is harmless. */
  unregisterWebhook?: (account: ChannelAccount, options: { timeoutMs: number }) => Promise<void>
  /** Whether customers see which message a reply quotes. */
  showsQuotes?: true
  /** Closes idle connections. Sending reopens them. */
  close?: () => void
  /** Whether sending the same message twice delivers it once (email: the same Message-ID). */
  isResendHarmless: boolean
  /** How long after the customer's last message free-form messages are accepted. `refusalCode`: it was too late. */
  replyWindow?: ReplyWindow
}

/** `messageId`: the provider's id of the customer's newest message. */
export type TypingTo = { externalId: string; messageId: string | null }

export type Typing = {
  /** Ends at the provider by itself, or with the next message. Throws a DeliveryError; repeating it is harmless. */
  show: (
    account: ChannelAccount,
    to: TypingTo,
    options: { timeoutMs: number; signal: AbortSignal },
  ) => Promise<void>
  /** When to show it again; shorter than the provider shows it. */
  renewMs: number
}

export type SendOptions = {
  timeoutMs: number
  /** The webhook URL for the account's provider. */
  webhookUrl: string
}

export type ReplyWindow = {
  hours: number
  refusalCode: string
  /** The error code that we return if it is closed. */
  errorCode: 'WHATSAPP_SERVICE_WINDOW_CLOSED' | 'REPLY_WINDOW_CLOSED'
}

export type SignedId = { id: string; signature: string }
