// What a WhatsApp webhook brings, in WhatsApp's own words: between parse.ts and read-item.ts, and in leftovers that earlier
// versions kept.
import type { Failure } from './errors.ts'

/** Which number and account an item belongs to. Route on phoneNumberId: the displayed number is written in many ways. */
export type Source = {
  field: string
  businessAccountId: string | null
  phoneNumberId: string | null
  displayPhone: string | null
}

/**
 * A customer. One of userId and waId is there, or neither where the payload names nobody. userId (business-scoped) is
 * the better key: it stays where the phone number is hidden.
 */
export type Person = {
  userId: string | null
  parentUserId: string | null
  /** As the provider wrote it, which is what to send to. */
  waId: string | null
  /** E.164 of the WhatsApp id, null where that is no phone number. */
  phone: string | null
  name: string | null
  username: string | null
}

export type Media = {
  type: 'image' | 'audio' | 'video' | 'document' | 'sticker'
  mediaId: string | null
  mimeType: string | null
  fileName: string | null
  /** Base64 of the digest, as the provider gives it. */
  sha256: string | null
  isVoice: boolean
  isAnimated: boolean
  /** Newer payloads carry the address; it is good for five minutes. */
  url: string | null
}

export type Location = {
  latitude: number
  longitude: number
  name: string | null
  address: string | null
  url: string | null
}

export type SharedContact = {
  name: string | null
  company: string | null
  phones: { phone: string; waId: string | null; label: string | null }[]
  emails: string[]
}

/** What the customer selected: a button or list row of ours, a template's button, a completed form. */
export type Choice = {
  kind: 'button' | 'list' | 'templateButton' | 'form' | 'callPermission'
  id: string | null
  title: string | null
  description: string | null
  /** A form's answers, JSON as text. */
  answers: string | null
}

export type OrderItem = {
  productId: string | null
  quantity: number | null
  price: number | null
  currency: string | null
}

export type Content = {
  kind:
    | 'text'
    | 'image'
    | 'audio'
    | 'video'
    | 'document'
    | 'sticker'
    | 'location'
    | 'contacts'
    | 'choice'
    | 'order'
    | 'welcome'
    | 'unsupported'
  /** Never empty, even if the customer wrote no text. */
  body: string
  media: Media | null
  location: Location | null
  contacts: SharedContact[]
  choice: Choice | null
  order: { catalogId: string | null; items: OrderItem[] } | null
  /** Why the provider could not deliver an unsupported message. */
  failure: Failure | null
  /** An unsupported message as it came, JSON as text. */
  raw: string | null
}

export type Quote = {
  /** May name a message that we do not have; a forwarded one has none. */
  messageId: string | null
  isForwarded: boolean
  product: { catalogId: string | null; productId: string | null } | null
}

/** The ad that the customer came from. */
export type Referral = {
  sourceType: string | null
  sourceId: string | null
  sourceUrl: string | null
  headline: string | null
  body: string | null
  mediaUrl: string | null
  clickId: string | null
}

type At = { source: Source; sentAt: Date | null }

export type MessageItem = At & {
  type: 'message'
  externalId: string
  from: Person
  content: Content
  quote: Quote | null
  referral: Referral | null
  groupId: string | null
}

/** What somebody wrote to a customer on the phone that shares the number. It does not open the reply window. */
export type EchoItem = At & {
  type: 'echo'
  externalId: string
  to: Person
  content: Content
  quote: Quote | null
}

/** emoji is null if the reaction was removed. */
export type ReactionItem = At & {
  type: 'reaction'
  externalId: string | null
  /** The customer whose conversation it is in; with isEcho, the business did it. */
  person: Person
  targetId: string
  emoji: string | null
  isEcho: boolean
}

export type EditItem = At & {
  type: 'edit'
  externalId: string | null
  person: Person
  targetId: string
  content: Content
  isEcho: boolean
}

export type RevokeItem = At & {
  type: 'revoke'
  externalId: string | null
  person: Person
  targetId: string
  isEcho: boolean
}

/** The customer has a new number, a new business-scoped id, or a new device key (then previous equals next). */
export type IdentityItem = At & {
  type: 'identity'
  change: 'phone' | 'userId' | 'key'
  previous: Person
  next: Person
  body: string | null
}

export type StatusItem = At & {
  type: 'status'
  externalId: string
  status: 'sent' | 'delivered' | 'read' | 'played' | 'failed'
  recipient: Person
  /** Only set for failures. */
  failure: Failure | null
  /** What we sent along (our id of the attempt to send it), 512 characters at most. */
  callbackData: string | null
  groupId: string | null
}

export type TemplateItem = At & {
  type: 'template'
  change: 'status' | 'quality' | 'category' | 'components'
  templateId: string | null
  name: string | null
  language: string | null
  /** The new state, score or category, upper case. */
  value: string | null
  previous: string | null
  reason: string | null
}

export type PreferenceItem = At & { type: 'preference'; person: Person; marketing: 'stop' | 'resume' }

/** Something about the number or the account: an event of the provider's, or an error that belongs to no message. */
type AccountItem = At & { type: 'account'; event: string | null; failure: Failure | null; raw: string }

export type UnknownItem = At & {
  type: 'unknown'
  /** `notConnected`: an item for an account that isn't connected here. */
  reason: 'notJson' | 'tooDeep' | 'tooMany' | 'shape' | 'field' | 'notConnected'
  /** JSON as text, or the whole body if it isn't JSON. */
  raw: string
}

export type WhatsappItem =
  | MessageItem
  | EchoItem
  | ReactionItem
  | EditItem
  | RevokeItem
  | IdentityItem
  | StatusItem
  | TemplateItem
  | PreferenceItem
  | AccountItem
  | UnknownItem
