// The items in the webhooks of all channels, as plain data between the parsers and the code that stores them. Features
// of a single channel are item types or fields that the others never use.

/** A customer as the provider identifies them. */
export type InboundPerson = {
  /** The provider's id, used for sending: a chat, a page-scoped id, a number, or a sender name in its place. */
  externalId: string
  /** E.164, if the channel verifies numbers. */
  phone: string | null
  name: string | null
  username: string | null
  /** Two letters, for people without a number to derive it from. */
  countryIso: string | null
  /** WhatsApp identifies a person by several ids. */
  whatsapp?: { userId: string | null; waId: string | null }
}

/** A file in a message. */
export type InboundFile = {
  type: 'image' | 'audio' | 'video' | 'file' | 'sticker' | 'location' | 'contacts'
  name: string
  mimeType: string | null
  /** In bytes, if the provider gives it. */
  size: number | null
  /** What the channel's fetchMedia needs; with isInline, the content itself. */
  source: Record<string, unknown>
  isInline: boolean
}

export type OptAction = 'stop' | 'start'

type At = {
  /** The provider's name for the account (a page, a number), if the payload includes it. */
  accountName: string | null
  sentAt: Date | null
}

export type MessageItem = At & {
  type: 'message'
  /** The provider's id, unique on the channel account. */
  externalId: string
  person: InboundPerson
  /** Sent by the business from another app. It doesn't open the reply window. */
  isEcho: boolean
  /** Our id of the attempt, if the echo is of a message that we sent. */
  attemptId: string | null
  /** Never empty, even if the customer wrote no text. */
  body: string
  /** What the message contains besides its text. */
  metadata: Record<string, unknown>
  replyTo: { externalId: string | null; quote: string | null } | null
  files: InboundFile[]
  /** Opts out of this channel's messages, or back in. */
  wish: OptAction | null
  /** Opts out of broadcasts, or back in. */
  broadcasts?: OptAction | null
}

/** `person` is the customer of the conversation, if given. With isEcho, the business did it. */
type About = At & { targetId: string; isEcho: boolean; person?: InboundPerson }

/** emoji is null if the reaction was removed. */
export type ReactionItem = About & { type: 'reaction'; emoji: string | null }

/** An edit may include the whole message, to be stored if we don't have it. */
export type EditItem = About & { type: 'edit'; body: string; whole: MessageItem | null }

export type RevokeItem = About & { type: 'revoke' }

export type StatusItem = At & {
  type: 'status'
  externalId: string
  /** Our id of the attempt to send it, if the provider returns it. */
  attemptId: string | null
  status: 'sent' | 'delivered' | 'read' | 'failed'
  failure: { code: string; message: string } | null
  /** The recipient, if the provider gives it. */
  person?: InboundPerson | null
  /** It failed because they opted out of broadcasts. */
  isOptedOut?: boolean
}

/** Everything sent to the person up to a time was delivered, or read. */
export type WatermarkItem = At & {
  type: 'watermark'
  person: InboundPerson
  status: 'delivered' | 'read'
  upTo: Date
}

/** The customer has blocked us, or unblocked us. */
export type ReachItem = At & { type: 'reach'; person: InboundPerson; isBlocked: boolean }

/** The customer has a new number, a new user id, or a new device key (then previous equals next). */
export type IdentityItem = At & {
  type: 'identity'
  change: 'phone' | 'userId' | 'key'
  person: InboundPerson
  next: InboundPerson
  body: string | null
}

/** The customer has changed their broadcast preference at the provider. */
export type PreferenceItem = At & { type: 'preference'; person: InboundPerson; broadcasts: OptAction }

/**
 * A template of the account has changed; `value` is its new state, score or category, upper case, and `reason` the
 * provider's, if it gives one. (Items kept by earlier versions have none.)
 */
export type TemplateItem = At & {
  type: 'template'
  businessAccountId: string | null
  change: 'status' | 'quality' | 'category' | 'components'
  name: string | null
  language: string | null
  value: string | null
  reason?: string | null
}

/** Something about the account: an event, or an error that isn't about a message. `raw` is JSON text. */
export type AccountItem = At & { type: 'account'; raw: string }

export type UnknownItem = At & {
  type: 'unknown'
  /** `notConnected`: an item for an account that isn't connected here. */
  reason: 'notJson' | 'tooDeep' | 'tooMany' | 'shape' | 'field' | 'notConnected'
  /** JSON text, or the whole body if it isn't JSON. */
  raw: string
}

export type InboundItem =
  | MessageItem
  | ReactionItem
  | EditItem
  | RevokeItem
  | StatusItem
  | WatermarkItem
  | ReachItem
  | IdentityItem
  | PreferenceItem
  | TemplateItem
  | AccountItem
  | UnknownItem
