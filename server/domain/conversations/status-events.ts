import type { ConversationStatus } from '../../platform/db/tables.ts'
import type { NewEvent } from '../../platform/events/record.ts'
import type { LockedConversation } from './queries.ts'

type Change = {
  status: ConversationStatus
  /** Whose it is now: on reopening, an agent who has left loses it. */
  agentId: string | null
  /** As actorId gives it. */
  by: string
}

/** What a change of a conversation's status is announced as. */
export const statusEvents = (
  { id: conversationId, contactId, status: previousStatus, agentId: previousAgentId }: LockedConversation,
  { status, agentId, by }: Change,
): NewEvent[] => [
  {
    type: 'conversation.status',
    conversationId,
    contactId,
    data: { conversationId, status, previousStatus, by },
  },
  ...(agentId === previousAgentId
    ? []
    : [
        {
          type: 'conversation.assigned' as const,
          conversationId,
          contactId,
          actor: 'system',
          data: { conversationId, agentId, previousAgentId },
        },
      ]),
]
