import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { record } from '../../platform/events/record.ts'
import { endTurns } from '../ai/turn-queries.ts'
import { deleteInputs } from '../automation/inputs.ts'
import { PAUSED_MS } from '../automation/interrupt.ts'
import { clearSilence } from '../automation/save-states.ts'
import { pauseAutomation } from '../automation/states.ts'
import { unassignConversation } from '../conversations/assign-conversation.ts'
import { insertSystemEntry } from '../conversations/queries.ts'
import { endRunRows } from './end-queries.ts'
import { listInputs, lockPlaces } from './fact-queries.ts'

/**
 * Leaves a conversation to people where automation can't decide what to do: its runs end as failed, its inputs are done
 * with (the messages stay in the thread), and nothing automated speaks for a while. Does as little as possible, so that
 * it doesn't fail for the same reason.
 */
export const failConversation = (ctx: Ctx, conversationId: string): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const [conversation] = await lockPlaces(ctx, [conversationId])
    if (!conversation) return
    const { contactId } = conversation
    const inputs = await listInputs(ctx, [conversationId])
    const runs = await endRunRows(ctx, conversationId, 'failed', 'step_failed')
    await pauseAutomation(ctx, [conversationId], {
      reason: 'failed',
      by: 'system',
      until: new Date(ctx.now().getTime() + PAUSED_MS),
    })
    await clearSilence(ctx, conversationId)
    await endTurns(ctx, conversationId)
    if (conversation.isAi) await unassignConversation(ctx, { conversationId })
    await insertSystemEntry(ctx, {
      conversation,
      body: 'Automation failed in this conversation, so it’s left to the team',
      metadata: {
        event: 'flow',
        says: 'Automation failed in this conversation, so it’s left to the team',
        steps: 0,
      },
    })
    if (inputs.length > 0) await deleteInputs(ctx, inputs)
    await record(
      ctx,
      runs.map(({ id, flowId }) => ({
        type: 'flow_run.updated' as const,
        conversationId,
        contactId,
        data: { runId: id, flowId, status: 'failed' as const },
      })),
    )
  })
