// Everything that is announced. The data of an event says what changed, never a message's text: readers fetch that.
import type { ConversationStatus, MessageStatus } from '../db/tables.ts'

export type EventData = {
  'conversation.created': { conversationId: string }
  'conversation.assigned': { conversationId: string; agentId: string | null }
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
