// The items of a WhatsApp webhook in WhatsApp's own format: passed from parse.ts to read-item.ts, and found in
// leftovers of earlier versions.
import type * as inbound from '../contract/inbound.ts'
import type { Failure } from './errors.ts'

/** The item's number and account. Route by phoneNumberId, because the display number has many spellings. */
export type Source = {
  field: string
  businessAccountId: string | null
  phoneNumberId: string | null
  displayPhone: string | null
}

/**
 * A customer. Has a userId, a waId or both; neither if the payload doesn't identify anyone. The business-scoped userId
 * is the better key, because it is included even if the phone number is hidden.
 */
export type Person = {
  userId: string | null
  parentUserId: string | null
  /** As given by the provider; used as the recipient. */
  waId: string | null
  /** The WhatsApp id in E.164; null if it isn't a phone number. */
  phone: string | null
  name: string | null
  username: string | null
}

export type Media = {
  type: 'image' | 'audio' | 'video' | 'document' | 'sticker'
  mediaId: string | null
  mimeType: string | null
  fileName: string | null
  /** The digest in base64, as the provider sends it. */
  sha256: string | null
  isVoice: boolean
  /** Included in newer payloads; valid for five minutes. */
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

/** The customer's choice: one of our buttons or list rows, a template's button, or a completed form. */
export type Choice = {
  kind: 'button' | 'list' | 'templateButton' | 'form' | 'callPermission'
  id: string | null
  title: string | null
  description: string | null
  /** The answers in a form, as JSON text. */
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
  /** An unsupported message, as JSON text. */
  raw: string | null
}

export type Quote = {
  /** We may not have this message. Forwarded messages have none. */
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

/** A message to a customer that was written in the WhatsApp Business app. It doesn't open the reply window. */
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
  /** The customer of the conversation. With isEcho, the business did it. */
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
  /** The id of the attempt, which we included in the send; at most 512 characters. */
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
  reason: string | null
}

export type PreferenceItem = At & { type: 'preference'; person: Person; marketing: 'stop' | 'resume' }

/** Something about the number or the account: an event, or an error that isn't about a message. */
type AccountItem = At & { type: 'account'; event: string | null; failure: Failure | null; raw: string }

export type UnknownItem = At & Pick<inbound.UnknownItem, 'type' | 'reason' | 'raw'>

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
