// What people do about automation in a conversation. Whoever may reply there may do it.
import { actorId, isPerson } from '../../platform/ctx/actor.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError } from '../../platform/errors.ts'
import { interruptAutomation } from '../automation/interrupt.ts'
import { findPause, listActiveRuns } from '../automation/queries.ts'
import type { ConversationAutomation } from '../automation/schema.ts'
import { endPause } from '../automation/states.ts'
import { actorName } from './actor-name.ts'
import { unassignConversation } from './assign-conversation.ts'
import { findAround } from './inbox-queries.ts'
import { insertSystemEntry, lockConversation } from './queries.ts'

/** Throws CONVERSATION_NOT_FOUND. */
export const getConversationAutomation = async (
  ctx: Ctx,
  conversationId: string,
): Promise<ConversationAutomation> => {
  if (!(await findAround(ctx, conversationId))) throw new ApiError('CONVERSATION_NOT_FOUND')
  return automationOf(ctx, conversationId)
}

const automationOf = async (ctx: Ctx, conversationId: string): Promise<ConversationAutomation> => ({
  pause: (await findPause(ctx, conversationId)) ?? null,
  runs: await listActiveRuns(ctx, conversationId),
})

/**
 * Pauses automation until somebody gives the conversation back or it is closed: dialogs end, what they had yet to send
 * is withdrawn. Pausing twice changes nothing. Throws CONVERSATION_NOT_FOUND.
 */
export const pauseConversation = (ctx: Ctx, conversationId: string): Promise<ConversationAutomation> =>
  inTransaction(ctx, async (ctx) => {
    const conversation = await lockConversation(ctx, conversationId)
    if (!conversation) throw new ApiError('CONVERSATION_NOT_FOUND')
    if ((await findPause(ctx, conversationId))?.reason !== 'paused') {
      const by = actorId(ctx.actor)
      await interruptAutomation(ctx, [conversationId], { by, reason: 'person_took_over', pause: 'hold' })
      await insertSystemEntry(ctx, {
        conversation,
        body: `${await actorName(ctx)} paused automation`,
        metadata: { event: 'automation_paused', by },
      })
    }
    return automationOf(ctx, conversationId)
  })

/**
 * Gives the conversation back to automation, which goes on with the customer's next message. A conversation of their
 * own is unassigned, because flows leave assigned conversations to people. If automation isn't paused, nothing changes.
 * Throws CONVERSATION_NOT_FOUND.
 */
export const giveBack = (ctx: Ctx, conversationId: string): Promise<ConversationAutomation> =>
  inTransaction(ctx, async (ctx) => {
    const conversation = await lockConversation(ctx, conversationId)
    if (!conversation) throw new ApiError('CONVERSATION_NOT_FOUND')
    const [ended] = await endPause(ctx, [conversationId])
    if (ended) {
      await insertSystemEntry(ctx, {
        conversation,
        body: `${await actorName(ctx)} resumed automation`,
        metadata: { event: 'automation_resumed', by: actorId(ctx.actor) },
      })
      if (isPerson(ctx.actor) && conversation.agentId === ctx.actor.accountId)
        await unassignConversation(ctx, { conversationId })
    }
    return automationOf(ctx, conversationId)
  })
