import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { addInputs, type NewInput } from '../automation/inputs.ts'
import { lockConversation } from '../conversations/queries.ts'
import { type CallOwner, type CallRef, type ClaimedCall, endCall } from './call-queries.ts'
import type { CallResult } from './call-result.ts'

type Finished = CallRef & CallOwner & Pick<ClaimedCall, 'conversationId'>
type Result = Pick<CallResult, 'outcome' | 'status' | 'kept' | 'problem'>

/**
 * Records the outcome and hands it to the run or the proposal, all or nothing. A try that is over changes nothing, so
 * either gets one outcome however often its call was made.
 */
export const finishCall = (ctx: Ctx, call: Finished, result: Result): Promise<boolean> =>
  inTransaction(ctx, async (ctx) => {
    if (!(await lockConversation(ctx, call.conversationId))) return false
    if (!(await endCall(ctx, call, result))) return false
    await addInputs(ctx, [inputOf(call, result)])
    return true
  })

const inputOf = (call: Finished, { outcome, kept, problem }: Result): NewInput => {
  const { conversationId, runId, token, proposalId } = call
  return typeof proposalId === 'string'
    ? {
        conversationId,
        kind: 'ai_action',
        data: { proposalId, outcome, kept, problem: problem?.message ?? null },
      }
    : { conversationId, kind: 'call', runId: runId!, data: { token: token!, outcome, kept } }
}
