// The public types of events, and which recorded event becomes which of them.

/** What the relay knows of a recorded event. */
export type RecordedEvent = {
  type: string
  conversationId: string | null
  contactId: string | null
  data: Record<string, unknown>
}

export type PublicEvent = { type: string; data: Record<string, unknown> }

/** Null for an event that is not public. */
export const toPublic = ({ type, data }: RecordedEvent): PublicEvent | null => {
  switch (type) {
    case 'conversation.created':
    case 'conversation.read':
    case 'message.created':
    case 'message.updated':
    case 'note.created':
    case 'contact.updated':
    case 'contact.merged':
      return { type, data }
    case 'message.removed':
      return { type: 'message.deleted', data }
    default:
      return null
  }
}
