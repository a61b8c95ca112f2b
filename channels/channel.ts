// The contract of a channel: how an outbound message reaches the customer. A channel knows its provider's protocol and
// nothing of our database; the server meets it only as ctx.channels.

export type ChannelAccount = {
  id: string
  address: string | null
  settings: Record<string, unknown>
  secrets: Record<string, string>
}

export type OutboundMessage = {
  /** Ours. Goes along wherever the provider lets us attach something of our own. */
  id: string
  conversationId: string
  body: string
  subject: string | null
  senderName: string
  to: {
    contactId: string
    name: string
    email: string | null
    phone: string | null
    externalId: string | null
  }
  createdAt: string
}

/** The provider took the message. externalId is its own id for it. */
export type Accepted = { externalId: string | null }

/**
 * Why a message did not go out.
 *   retry    not accepted, may be tried again (too fast, down, connection refused)
 *   refused  a definite no: it will never go like this
 *   unknown  the request was written and no answer came: it may have gone out
 */
export class DeliveryError extends Error {
  readonly outcome: 'retry' | 'refused' | 'unknown'
  readonly code: string
  readonly retryAfterMs: number | undefined

  constructor(
    outcome: 'retry' | 'refused' | 'unknown',
    code: string,
    message: string,
    options: { retryAfterMs?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause })
    this.name = 'DeliveryError'
    this.outcome = outcome
    this.code = code
    this.retryAfterMs = options.retryAfterMs
  }
}

export type Channel = {
  /**
   * `stored`: the message has arrived once it is stored (web chat: the customer's page reads it from here).
   * `sent`: a job hands it to the provider.
   * `none`: the API does not send on this channel.
   */
  delivery: 'stored' | 'sent' | 'none'
  /** Hands one message to the provider within timeoutMs, or throws a DeliveryError. */
  send?: (
    account: ChannelAccount,
    message: OutboundMessage,
    options: { timeoutMs: number },
  ) => Promise<Accepted>
  /** Closes what is kept open between sends. Sending opens it again. */
  close?: () => void
  /** Whether sending the same message twice reaches the customer once (email: the same Message-ID). */
  isResendHarmless: boolean
}

export type Channels = Record<'web' | 'whatsapp' | 'facebook' | 'telegram' | 'sms' | 'email', Channel>
