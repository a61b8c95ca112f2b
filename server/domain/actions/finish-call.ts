import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { addInputs } from '../automation/inputs.ts'
import { lockConversation } from '../conversations/queries.ts'
import { type ClaimedCall, endCall } from './call-queries.ts'
import type { CallResult } from './perform-call.ts'

type Finished = Pick<ClaimedCall, 'id' | 'tries' | 'conversationId' | 'runId' | 'token'>

/**
 * Records the outcome and hands it to the run, all or nothing. A try that is over changes nothing, so a run gets one
 * outcome however often its call was made.
 */
export const finishCall = (
  ctx: Ctx,
  call: Finished,
  result: Pick<CallResult, 'outcome' | 'status' | 'kept' | 'problem'>,
): Promise<boolean> =>
  inTransaction(ctx, async (ctx) => {
    const { conversationId, runId, token } = call
    if (!(await lockConversation(ctx, conversationId))) return false
    if (!(await endCall(ctx, call, result))) return false
    const { outcome, kept } = result
    await addInputs(ctx, [{ conversationId, kind: 'call', runId, data: { token, outcome, kept } }])
    return true
  })
