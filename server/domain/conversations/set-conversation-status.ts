import { actorId, isPerson } from '../../platform/ctx/actor.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { confinedTo } from '../../platform/ctx/permissions.ts'
import type { ConversationStatus } from '../../platform/db/tables.ts'
import { ApiError } from '../../platform/errors.ts'
import { record } from '../../platform/events/record.ts'
import { addConversationEvent } from '../automation/conversation-events.ts'
import { interruptAutomation } from '../automation/interrupt.ts'
import { endPause } from '../automation/states.ts'
import { touchActivity } from '../contacts/counters.ts'
import { actorName } from './actor-name.ts'
import { requestHandOut } from './hand-out.ts'
import {
  insertSystemEntry,
  type LockedConversation,
  lockConversation,
  lockOtherOpen,
  setConversationStatus,
} from './queries.ts'
import type { Closed, Reopened } from './schema.ts'
import { statusEvents } from './status-events.ts'

/** Sets the status of an existing conversation; if it is unchanged, nothing is written and no event is sent. */
const moveTo = (ctx: Ctx, conversationId: string, status: ConversationStatus): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const conversation = await lockConversation(ctx, conversationId)
    if (!conversation) throw new ApiError('CONVERSATION_NOT_FOUND')
    if (conversation.status === status) return
    if (status === 'open') {
      const other = await lockOtherOpen(ctx, conversation)
      const owner = confinedTo(ctx.actor)
      if (other && owner !== null && other.agentId !== owner)
        throw new ApiError('FORBIDDEN', { message: 'The customer has a newer conversation open.' })
      if (other) await applyStatus(ctx, other, 'closed', conversationId)
    }
    await applyStatus(ctx, conversation, status)
  })

const applyStatus = async (
  ctx: Ctx,
  conversation: LockedConversation,
  status: ConversationStatus,
  replacedBy?: string,
): Promise<void> => {
  const at = ctx.now()
  if (status === 'closed' && conversation.automationRevision !== null)
    await tellAutomation(ctx, conversation.id)
  const { agentId, teamId } = await setConversationStatus(ctx, conversation.id, status, at)
  await touchActivity(ctx, {
    contactId: conversation.contactId,
    conversationId: conversation.id,
    agentId,
    at,
    openDelta: status === 'open' ? 1 : -1,
  })
  await insertSystemEntry(ctx, {
    conversation,
    body: `${await actorName(ctx)} ${status === 'open' ? 'reopened' : 'closed'} this conversation`,
    metadata: {
      event: status === 'open' ? 'reopened' : 'closed',
      by: actorId(ctx.actor),
      ...(replacedBy && { replacedBy }),
    },
  })
  await record(ctx, statusEvents(conversation, { status, agentId, teamId, by: actorId(ctx.actor) }))
  await addConversationEvent(ctx, conversation.id, { on: status === 'open' ? 'reopened' : 'closed' })
  if (status === 'closed' && agentId !== null) await requestHandOut(ctx, conversation.teamRevision)
}

/** Closing ends dialogs, unless a flow does it, and the pause. */
const tellAutomation = async (ctx: Ctx, conversationId: string): Promise<void> => {
  const { actor } = ctx
  if (!isPerson(actor) && actor.type !== 'token') await endPause(ctx, [conversationId])
  else
    await interruptAutomation(ctx, [conversationId], {
      by: actorId(actor),
      reason: 'conversation_closed',
      pause: 'end',
    })
}

/** Closing a closed conversation succeeds and changes nothing, not even updatedAt. Throws CONVERSATION_NOT_FOUND. */
export const closeConversation = async (ctx: Ctx, conversationId: string): Promise<Closed> => {
  await moveTo(ctx, conversationId, 'closed')
  return { success: true, conversationId, status: 'closed' }
}

/** The same in the transaction that holds the lock; the actor may have just lost sight of the conversation. */
export const closeLocked = async (ctx: Ctx, conversation: LockedConversation): Promise<void> => {
  if (conversation.status !== 'closed') await applyStatus(ctx, conversation, 'closed')
}

/**
 * Reopening an open conversation succeeds and changes nothing. An agent who has left is unassigned. A contact has one
 * open conversation on a channel account (except email): if another one is open, it is closed and this one takes its
 * place. Throws CONVERSATION_NOT_FOUND, and FORBIDDEN if the actor may not see the other one.
 */
export const reopenConversation = async (ctx: Ctx, conversationId: string): Promise<Reopened> => {
  await moveTo(ctx, conversationId, 'open')
  return { success: true, conversationId, status: 'open' }
}
