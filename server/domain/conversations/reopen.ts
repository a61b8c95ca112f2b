import type { Ctx } from '../../platform/ctx/ctx.ts'
import { record } from '../../platform/events/record.ts'
import { actorName } from './actor-name.ts'
import { insertSystemEntry, type LockedConversation, setConversationStatus } from './queries.ts'
import { statusEvents } from './status-events.ts'

/** Reopens a closed conversation for a message from or to its contact; the caller updates the contact's counters. */
export const reopen = async (
  ctx: Ctx,
  conversation: LockedConversation,
  by: string = conversation.contactId,
): Promise<LockedConversation> => {
  const { contactId } = conversation
  const { agentId, teamId } = await setConversationStatus(ctx, conversation.id, 'open', ctx.now(), {
    isFromCustomer: by === contactId,
  })
  await insertSystemEntry(ctx, {
    conversation,
    body:
      by === contactId
        ? "The customer's message reopened this conversation"
        : `${await actorName(ctx)} reopened this conversation`,
    metadata: { event: 'reopened', by },
  })
  await record(ctx, statusEvents(conversation, { status: 'open', agentId, teamId, by }))
  return { ...conversation, status: 'open', agentId, teamId }
}
