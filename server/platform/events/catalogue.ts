// Every event. Its data says what changed and never contains message text: readers fetch that.
import type { ConversationStatus, MessageStatus } from '../db/tables.ts'

export type EventData = {
  'conversation.created': { conversationId: string }
  /** The previous assignee may have to drop it: not everyone sees other agents' conversations. */
  'conversation.assigned': { conversationId: string; agentId: string | null; previousAgentId: string | null }
  /** An agent read the customer's messages up to and including this one. */
  'conversation.read': { conversationId: string; messageId: string }
  /** An agent marked the conversation unread, or (with 0) read. */
  'conversation.unread': { conversationId: string; unreadCount: number }
  'conversation.status': { conversationId: string; status: ConversationStatus }
  'message.created': { messageId: string; senderType: string }
  'message.updated': { messageId: string }
  'message.removed': { messageId: string }
  'message.status': { messageId: string; status: MessageStatus }
  'note.created': { noteId: string }
  'contact.updated': { contactId: string }
  /** In the web chat. `address`: everyone at that address is blocked as well. */
  'contact.blocked': { contactId: string; visitor: boolean; address?: string }
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
  /** A flow's run started, waits for something else, or ended. */
  'flow_run.updated': {
    runId: string
    flowId: string
    status: 'running' | 'completed' | 'failed' | 'cancelled'
  }
  /** Automation was paused in the conversation, or goes on. */
  'automation.updated': { conversationId: string; isPaused: boolean }
  /** A draft or summary that somebody asked for is there, or there is none. */
  'reply_draft.updated': { conversationId: string }
}

export type EventType = keyof EventData
