// What the webhooks of Telegram, Messenger and SMS can bring, as plain data: the vocabulary between their parsers and
// whoever stores it. WhatsApp has one of its own, with several names for one person.

/** A customer as the provider names them. */
export type SocialPerson = {
  /** The provider's id, which is what to send to: a chat, a page-scoped id, a number or a name in its place. */
  externalId: string
  /** E.164, where the channel proves it. */
  phone: string | null
  name: string | null
  username: string | null
  /** Two letters, for who has no number that tells it. */
  countryIso: string | null
}

/** A file of a message. */
export type SocialFile = {
  type: 'image' | 'audio' | 'video' | 'file' | 'sticker' | 'location' | 'contacts'
  name: string
  mimeType: string | null
  /** In bytes, where the provider says so. */
  size: number | null
  /** What the channel's fetchMedia takes; the content itself with isInline. */
  source: Record<string, unknown>
  isInline: boolean
}

type At = {
  /** The account's name in the provider's terms (a page, a number), where the payload says it. */
  accountName: string | null
  sentAt: Date | null
}

export type SocialMessage = At & {
  type: 'message'
  /** The provider's id, unique on the channel account. */
  externalId: string
  person: SocialPerson
  /** Written by the business, elsewhere. */
  isEcho: boolean
  /** An echo may bear what we sent along with a message: then it is that message, come back. */
  attemptId: string | null
  /** Always something to read, also where the customer wrote nothing. */
  body: string
  /** What it says beside its text. */
  metadata: Record<string, unknown>
  replyTo: { externalId: string | null; quote: string | null } | null
  files: SocialFile[]
  /** They want to hear nothing more on this channel, or again. */
  wish: 'stop' | 'start' | null
}

/** emoji is null where the reaction was taken back. */
export type SocialReaction = At & {
  type: 'reaction'
  targetId: string
  emoji: string | null
  isEcho: boolean
}

/** An edit may bring the whole message, to be stored where we do not have it. */
export type SocialEdit = At & {
  type: 'edit'
  targetId: string
  body: string
  isEcho: boolean
  whole: SocialMessage | null
}

export type SocialRevoke = At & { type: 'revoke'; targetId: string; isEcho: boolean }

export type SocialStatus = At & {
  type: 'status'
  externalId: string
  /** Ours, of the attempt to send it, where the provider hands it back. */
  attemptId: string | null
  status: 'sent' | 'delivered' | 'read' | 'failed'
  failure: { code: string; message: string } | null
}

/** All that went to the person up to a time was delivered, or read. */
export type SocialWatermark = At & {
  type: 'watermark'
  person: SocialPerson
  status: 'delivered' | 'read'
  upTo: Date
}

/** The customer has shut us out, or let us in again. */
export type SocialReach = At & { type: 'reach'; person: SocialPerson; isBlocked: boolean }

export type SocialUnknown = At & {
  type: 'unknown'
  reason: 'notJson' | 'tooDeep' | 'tooMany' | 'shape' | 'field'
  /** JSON as text, or the whole body where it is no JSON. */
  raw: string
}

export type SocialItem =
  | SocialMessage
  | SocialReaction
  | SocialEdit
  | SocialRevoke
  | SocialStatus
  | SocialWatermark
  | SocialReach
  | SocialUnknown

/** A channel whose webhooks bring these. */
export type SocialChannelName = 'telegram' | 'facebook' | 'sms'

/** What the provider tells of a person beside their messages. */
export type SocialProfile = {
  name: string | null
  username: string | null
  /** What fetchMedia takes to get the picture, and what tells it from another one. */
  avatar: { source: Record<string, unknown>; key: string } | null
}
