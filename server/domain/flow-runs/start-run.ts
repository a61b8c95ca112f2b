import type { Json } from '../../../flow-engine/paths.ts'
import { actorId, isPerson } from '../../platform/ctx/actor.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError } from '../../platform/errors.ts'
import { record } from '../../platform/events/record.ts'
import { addInputs } from '../automation/inputs.ts'
import { liveFlowsOf, type StartableFlow } from '../automation/live-flows.ts'
import { lockConversation } from '../conversations/queries.ts'
import { findFlowState, findLatestConversation, findVoice, insertRun } from './start-queries.ts'

type Start = {
  flowId: string
  variables?: Record<string, Json>
  /** Kept out of counts. */
  isTest?: boolean
} & ({ conversationId: string } | { contactId: string })

/**
 * Starts a live flow in a conversation, or in the contact's latest one, whatever its triggers; the conductor takes the
 * first steps right after the commit. Returns the run's id. Throws FLOW_NOT_FOUND, FLOW_NOT_LIVE,
 * CONVERSATION_NOT_FOUND (also for a contact without conversations) and, for a dialog, FLOW_IS_RUNNING if another one
 * runs or waits there, and for programs CONVERSATION_WITH_PERSON if a person has the conversation or automation is paused,
 * unless the flow's trigger for them says `evenIfAssigned`.
 */
export const startRun = (
  ctx: Ctx,
  { flowId, variables = {}, isTest = false, ...where }: Start,
): Promise<{ runId: string; conversationId: string }> =>
  inTransaction(ctx, async (ctx) => {
    const flow = (await liveFlowsOf(ctx)).flows.get(flowId)
    if (!flow)
      throw new ApiError(
        (await findFlowState(ctx, flowId)) === undefined ? 'FLOW_NOT_FOUND' : 'FLOW_NOT_LIVE',
      )
    const id =
      'conversationId' in where ? where.conversationId : await findLatestConversation(ctx, where.contactId)
    const conversation = id === undefined ? undefined : await lockConversation(ctx, id)
    if (!conversation) throw new ApiError('CONVERSATION_NOT_FOUND')
    const isDialog = flow.definition.kind === 'dialog'
    if (isDialog) await requireVoice(ctx, flow, conversation.id)
    const runId = ctx.newId()
    await insertRun(ctx, {
      id: runId,
      flow,
      conversation,
      isDialog,
      isTest,
      cause: { on: 'api', by: actorId(ctx.actor), trigger: null, messageId: null, passedOver: [], chain: 1 },
    })
    await addInputs(ctx, [{ kind: 'start', conversationId: conversation.id, runId, data: { variables } }])
    await record(ctx, {
      type: 'flow_run.updated',
      conversationId: conversation.id,
      contactId: conversation.contactId,
      data: { runId, flowId, status: 'running' },
    })
    return { runId, conversationId: conversation.id }
  })

/** Programs never talk over a person (decision 0033); a person decides for themselves. One dialog talks at a time. */
const requireVoice = async (
  ctx: Ctx,
  { definition }: StartableFlow,
  conversationId: string,
): Promise<void> => {
  const { hasDialog, isWithPerson } = await findVoice(ctx, conversationId)
  if (hasDialog) throw new ApiError('FLOW_IS_RUNNING')
  const mayTalkAnyway = definition.triggers.some(({ on, evenIfAssigned }) => on === 'api' && evenIfAssigned)
  if (isWithPerson && !mayTalkAnyway && !isPerson(ctx.actor)) throw new ApiError('CONVERSATION_WITH_PERSON')
}
