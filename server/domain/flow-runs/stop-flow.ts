// Pausing and archiving flows, and what becomes of their runs.
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { archiveFlow, pauseFlow } from '../flows/change-state.ts'
import { getFlowDetails } from '../flows/edit-flow.ts'
import type { FlowDetails } from '../flows/editor-schema.ts'
import { cancelRunsOf } from './cancel-run.ts'

type Stop = { flowId: string; how: 'pause' | 'archive'; runs: 'finish' | 'cancel' }

/**
 * Keeps a flow from starting runs, and cancels those that haven't ended unless they may finish. Doing it again cancels
 * what is left. Throws FLOW_NOT_FOUND and FLOW_STATE_CONFLICT.
 */
export const stopFlow = async (ctx: Ctx, { flowId, how, runs }: Stop): Promise<FlowDetails> => {
  await (how === 'pause' ? pauseFlow : archiveFlow)(ctx, flowId)
  if (runs === 'cancel') await cancelRunsOf(ctx, flowId)
  return getFlowDetails(ctx, flowId)
}
