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

export const ContactFact = { contactId: Id }
export const ConversationFact = { conversationId: Id }
export const MessageFact = { messageId: Id }
