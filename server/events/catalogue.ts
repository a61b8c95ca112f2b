// Everything that is announced. The data of an event says what changed, never a message's text: readers fetch that.
import type { ConversationStatus, MessageStatus } from '../db/tables.ts'

export type EventData = {
  'conversation.created': { conversationId: string }
  /** Whoever had it may have to forget it: not everybody sees what others have. */
  'conversation.assigned': { conversationId: string; agentId: string | null; previousAgentId: string | null }
  /** Somebody read what the customer wrote, up to and with this message. */
  'conversation.read': { conversationId: string; messageId: string }
  /** Somebody wants it to be looked at again, or (with 0) has looked. */
  'conversation.unread': { conversationId: string; unreadCount: number }
  'conversation.status': { conversationId: string; status: ConversationStatus }
  'message.created': { messageId: string; senderType: string }
  'message.updated': { messageId: string }
  'message.removed': { messageId: string }
  'message.status': { messageId: string; status: MessageStatus }
  'note.created': { noteId: string }
  'contact.updated': { contactId: string }
  'contact.merged': { contactId: string; mergedContactId: string }
  'broadcast.updated': {
    broadcastId: string
    status: 'sending' | 'completed' | 'failed'
    totalRecipients: number
    sentCount: number
    failedCount: number
    skippedCount: number
  }
  'agent.updated': { agentId: string }
}

export type EventType = keyof EventData
