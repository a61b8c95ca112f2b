import type { TObject } from 'typebox'
import { Id } from '../schema.ts'

/** What the API shows of the thing that an event names, under this name. */
export type ObjectKind =
  | 'conversation'
  | 'message'
  | 'contact'
  | 'note'
  | 'agent'
  | 'tag'
  | 'broadcast'
  | 'whatsappTemplate'

/** A type of event that programs receive. */
export type PublicType = {
  /** One sentence: when it happens. */
  description: string
  /** Null if there is nothing to show: it is gone, or the data says it all. */
  object: ObjectKind | null
  /** Facts and ids that stay true, never what a customer wrote. */
  data: TObject
  example: Record<string, unknown>
}

/** Ids of the examples, as elsewhere in the document. */
export const EXAMPLE = {
  conversationId: 'cmi8q2f5c0002x7h2m4s8k1vd',
  messageId: 'cmi8q2f5c0003x7h2q6t5n9we',
  contactId: 'cmi8q2f5c0001x7h2j7r3p5vc',
  agentId: 'cmi8q2f5c0004x7h2b8y2c6xf',
  tagId: 'cmi8q2f5c0006n2m7v4b1x9kq',
} as const

export const ContactFact = { contactId: Id }
export const ConversationFact = { conversationId: Id }
export const MessageFact = { messageId: Id }
