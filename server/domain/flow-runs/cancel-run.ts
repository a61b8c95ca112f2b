import type { EndReason } from '../../../flow-engine/end-reasons.ts'
import { actorId } from '../../platform/ctx/actor.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError } from '../../platform/errors.ts'
import { addInputs } from '../automation/inputs.ts'
import { lockConversation } from '../conversations/queries.ts'
import { findRunPlace, listRunningOf } from './start-queries.ts'

/**
 * Cancels a run, with the parts of it that run; the conductor ends it right after the commit. Cancelling a run that has
 * ended changes nothing. Throws FLOW_RUN_NOT_FOUND, also if the actor may not see its conversation.
 */
export const cancelRun = (
  ctx: Ctx,
  runId: string,
  reason: Extract<EndReason, 'stopped' | 'flow_unpublished'> = 'stopped',
): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const run = await findRunPlace(ctx, runId)
    const conversation = run?.conversationId && (await lockConversation(ctx, run.conversationId))
    if (!run || !conversation) throw new ApiError('FLOW_RUN_NOT_FOUND')
    if (run.status !== 'running') return
    await addInputs(ctx, [
      { kind: 'cancel', conversationId: conversation.id, runId, data: { reason, by: actorId(ctx.actor) } },
    ])
  })

/** Runs that are cancelled in one transaction. */
const PAGE = 2_000
/** Greater than every id. */
const END = 'd'

/**
 * Cancels all runs of a flow, a page in each transaction; the conductor ends them right after. Customers in the middle of
 * one are handed over to people.
 */
export const cancelRunsOf = async (ctx: Ctx, flowId: string): Promise<void> => {
  const data = { reason: 'flow_unpublished' as const, by: actorId(ctx.actor), toPeople: true }
  for (let before: string | undefined = END; before !== undefined; ) {
    const place: { before: string; limit: number } = { before, limit: PAGE }
    before = await inTransaction(ctx, async (ctx) => {
      const page = await listRunningOf(ctx, flowId, place)
      await addInputs(
        ctx,
        page.map((run) => ({ kind: 'cancel', ...run, data })),
      )
      return page.length < PAGE ? undefined : page.at(-1)!.runId
    })
  }
}
