import type { Ctx } from '../../platform/ctx/ctx.ts'
import { ApiError } from '../../platform/errors.ts'
import { findFlowSummary, listFlowRows } from './queries.ts'
import type { FlowAnswer, FlowList, FlowState } from './schema.ts'

/** The workspace's flows in the order in which they are tried; archived ones only if asked for. */
export const listFlows = async (
  ctx: Ctx,
  { state }: { state?: FlowState | undefined },
): Promise<FlowList> => ({
  flows: await listFlowRows(ctx, state),
})

/** A flow with its live version. Throws FLOW_NOT_FOUND. */
export const getFlow = async (ctx: Ctx, flowId: string): Promise<FlowAnswer> => {
  const flow = await findFlowSummary(ctx, flowId)
  if (!flow) throw new ApiError('FLOW_NOT_FOUND')
  return { flow }
}
