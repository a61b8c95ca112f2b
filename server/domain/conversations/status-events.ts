import type { ConversationStatus } from '../../platform/db/tables.ts'
import type { NewEvent } from '../../platform/events/record.ts'
import type { LockedConversation } from './queries.ts'

type Change = {
  status: ConversationStatus
  /** Whose it is now: on reopening, an agent who has left loses it. */
  agentId: string | null
  /** A team that was removed loses it as well, and it may come to the channel account's. */
  teamId: string | null
  /** As actorId gives it. */
  by: string
}

/** What a change of a conversation's status is announced as. */
export const statusEvents = (
  conversation: LockedConversation,
  { status, agentId, teamId, by }: Change,
): NewEvent[] => {
  const { id: conversationId, contactId, status: previousStatus } = conversation
  const { agentId: previousAgentId, teamId: previousTeamId } = conversation
  const about = { conversationId, contactId }
  return [
    {
      ...about,
      type: 'conversation.status',
      data: { conversationId, status, previousStatus, by },
    },
    ...(agentId === previousAgentId
      ? []
      : [
          {
            ...about,
            type: 'conversation.assigned' as const,
            actor: 'system',
            data: { conversationId, agentId, previousAgentId, teamId },
          },
        ]),
    ...(teamId === previousTeamId
      ? []
      : [
          {
            ...about,
            type: 'conversation.team_changed' as const,
            actor: 'system',
            data: { conversationId, teamId, previousTeamId },
          },
        ]),
  ]
}
